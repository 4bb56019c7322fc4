package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.server.ExportException;
import java.rmi.server.UID;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.BadAttributeValueExpException;
import javax.management.InstanceNotFoundException;
import javax.management.InvalidApplicationException;
import javax.management.MBeanException;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.script.ScriptException;
import javax.swing.DefaultListModel;
import javax.swing.tree.DefaultMutableTreeNode;
import javax.swing.tree.DefaultTreeModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be made an object, and how one finds out what has to. */
class StreamFilterTest {
    @TempDir
    Path folder;

    @Test
    void knownGadgetsAreRefusedAndNamed() {
        Serializer serializer = serializer("");
        byte[] bytes = written(new DefaultListModel<String>());
        Unreadable.Refused refused = assertThrows(Unreadable.Refused.class, () -> serializer.read(bytes, false));
        assertTrue(String.valueOf(refused.classname).startsWith("javax.swing."), refused.toString());
        assertEquals(Notes.Kind.REFUSED, Unreadable.kind(refused));
    }

    @Test
    void whatIsSetIsAskedBeforeTheKnownGadgets() throws Exception {
        byte[] bytes = written(new DefaultListModel<String>());
        assertTrue(serializer("javax.swing.**").read(bytes, false).value instanceof DefaultListModel);
    }

    @Test
    void anAllowListRefusesTheRest() throws Exception {
        Serializer serializer = serializer("java.util.*;java.lang.*;!*");
        assertEquals(List.of("x"), serializer.read(written(new ArrayList<>(List.of("x"))), false).value);
        byte[] other = written(new AtomicInteger());
        assertThrows(Unreadable.Refused.class, () -> serializer.read(other, false));
    }

    static final class Harmless implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    private static final AtomicInteger INITIALIZED = new AtomicInteger();

    static final class Harmful1 implements Serializable {
        private static final long serialVersionUID = 1L + INITIALIZED.incrementAndGet();
    }

    @Test
    void noCodeOfWhatIsRefusedRuns() {
        String harmless = new String(written(new Harmless()), StandardCharsets.ISO_8859_1);
        byte[] bytes = harmless.replace("Harmless", "Harmful1").getBytes(StandardCharsets.ISO_8859_1);
        assertThrows(
                Unreadable.Refused.class, () -> serializer("java.lang.*;!*").read(bytes, false));
        assertEquals(0, INITIALIZED.get());
    }

    @Test
    void depthIsBounded() throws Exception {
        byte[] deep = written(nested(1_100));
        assertTrue(serializer("").read(deep, false).value instanceof Object[]);
        Unreadable.Refused refused = assertThrows(
                Unreadable.Refused.class, () -> serializer("maxdepth=20").read(deep, false));
        assertTrue(refused.toString().contains("maxdepth"), "it is not the class: " + refused.getMessage());
        String limits = Gadgets.LIMITS.replace("100000;", "1000;");
        StreamFilter filter = StreamFilter.create(limits, null);
        assertThrows(Unreadable.Refused.class, () -> serializer(filter).read(deep, false));
    }

    @Test
    void whatIsNotAllowedIsNotTakenForTooDeep() {
        byte[] model = written(new DefaultListModel<String>());
        Unreadable.Refused refused =
                assertThrows(Unreadable.Refused.class, () -> serializer("").read(model, false));
        assertTrue(refused.toString().contains(StreamFilter.BY), refused.toString());
        byte[] proxy = written(
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Comparable.class}, new Quiet()));
        refused = assertThrows(
                Unreadable.Refused.class,
                () -> serializer("!java.lang.Comparable").read(proxy, false));
        assertEquals("java.lang.Comparable", refused.classname);
        assertTrue(refused.toString().contains(StreamFilter.BY), refused.toString());
    }

    @Test
    void aSettingThatIsNotUnderstoodAllowsNothing() {
        Serializer serializer = serializer("maxdepth=many");
        byte[] bytes = written(new ArrayList<>());
        assertThrows(Unreadable.Refused.class, () -> serializer.read(bytes, false));
        assertThrows(Unreadable.Refused.class, () -> serializer("file:/nowhere").read(bytes, false));
    }

    @Test
    void whatWasLearnedIsEnoughAsAnAllowList() throws Exception {
        Path file = folder.resolve("learned");
        Files.writeString(file, "com.example.Earlier\n");
        StreamFilter learning = StreamFilter.of("learn:" + file);
        Serializer serializer = serializer(learning);
        Map<String, Object> value = new HashMap<>(Map.of("list", new ArrayList<>(List.of(1)), "array", new long[3]));
        value.put(
                "proxy",
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Comparable.class}, new Quiet()));
        serializer.write(value, null);
        Learned learned = learning.learned();
        if (learned == null) {
            throw new AssertionError("it does not learn");
        }
        learned.save();
        List<String> lines = Files.readAllLines(file);
        assertEquals(lines.stream().sorted().distinct().toList(), lines);
        assertTrue(lines.contains("com.example.Earlier"), lines.toString());
        assertTrue(lines.contains("java.util.Map$Entry"), lines.toString());

        Serializer strict = serializer("file:" + file);
        assertEquals(value.keySet(), ((Map<?, ?>) readOrFail(strict, written(value))).keySet());
        byte[] other = written(new AtomicInteger());
        assertThrows(Unreadable.Refused.class, () -> strict.read(other, false));
    }

    @Test
    void learningRefusesKnownGadgetsAllTheSame() {
        Serializer serializer = serializer("learn:" + folder.resolve("learned"));
        byte[] bytes = written(new DefaultListModel<String>());
        assertThrows(Unreadable.Refused.class, () -> serializer.read(bytes, false));
    }

    @Test
    void olderJvmsCheckNames() {
        ClassPatterns patterns = ClassPatterns.of("maxdepth=3;java.base/*;com.shop.*;!com.**;org.x.Y;!org.x.Y$*;!net*");
        assertTrue(patterns.allow("com.shop.Cart"));
        assertFalse(patterns.allow("com.shop.deep.Cart"));
        assertTrue(patterns.allow("org.x.Y"));
        assertFalse(patterns.allow("org.x.Y$1"));
        assertFalse(patterns.allow("network.X"));
        assertTrue(patterns.allow("anything.Else"));
        ClassPatterns gadgets = ClassPatterns.of(Gadgets.PATTERNS);
        for (String pattern : Gadgets.PATTERNS.split(";")) {
            boolean refuses = pattern.startsWith("!");
            String one = pattern.substring(refuses ? 1 : 0)
                    .replace("**", "deep.Gadget")
                    .replace("*", "Gadget");
            assertEquals(!refuses, gadgets.allow(one), one);
        }
        assertTrue(gadgets.allow("java.util.ArrayList"));
    }

    /** As published ("CommonsCollections6"): a set that runs what it was told to when it is read. */
    @Test
    void aRealChainOfGadgetsDoesNotRun() throws Exception {
        byte[] bytes = written(GadgetChain.create());
        GadgetChain.RUNS.set(0);
        assertThrows(Unreadable.Refused.class, () -> serializer("").read(bytes, false));
        assertEquals(0, GadgetChain.RUNS.get());
        serializer("org.apache.commons.collections.**").read(bytes, false);
        assertEquals(1, GadgetChain.RUNS.get(), "it would run if it were let");
    }

    @Test
    void whatFrameworksThemselvesPutIntoBeansOfTheSessionIsNoGadget() {
        ClassPatterns gadgets = ClassPatterns.of(Gadgets.PATTERNS);
        for (String name : List.of(
                "sun.reflect.annotation.AnnotationInvocationHandler",
                "org.springframework.beans.factory.support.AutowireUtils$ObjectFactoryDelegatingInvocationHandler",
                "org.jboss.weld.interceptor.proxy.InterceptorMethodHandler",
                "org.jboss.weld.interceptor.proxy.InterceptionContext")) {
            assertTrue(gadgets.allow(name), name);
        }
        // What the published chains through them need besides.
        for (String name : List.of(
                "org.springframework.core.SerializableTypeWrapper$MethodInvokeTypeProvider",
                "com.sun.org.apache.xalan.internal.xsltc.trax.TemplatesImpl",
                "org.apache.commons.collections.functors.InvokerTransformer",
                "org.jboss.weld.interceptor.builder.MethodReference",
                "org.jboss.weld.interceptor.reader.SimpleInterceptorMetadata")) {
            assertFalse(gadgets.allow(name), name);
        }
    }

    @Deprecated(since = "with values of its own", forRemoval = false)
    private static final class Annotated {}

    @Test
    void anAnnotationIsRead() throws Exception {
        Object annotation = Annotated.class.getAnnotation(Deprecated.class);
        assertEquals(annotation, readOrFail(serializer(""), written(annotation)));
    }

    @Test
    void aTreeOfNodesAndAnObjectNameAreReadAndATreesModelIsNot() throws Exception {
        DefaultMutableTreeNode root = new DefaultMutableTreeNode("root");
        root.add(new DefaultMutableTreeNode("leaf"));
        DefaultMutableTreeNode read = (DefaultMutableTreeNode) readOrFail(serializer(""), written(root));
        assertEquals("leaf", String.valueOf(read.getFirstLeaf()));
        ObjectName name = new ObjectName("shop:type=Cart");
        assertEquals(name, readOrFail(serializer(""), written(name)));
        byte[] model = written(new DefaultTreeModel(root));
        assertThrows(Unreadable.Refused.class, () -> serializer("").read(model, false));
    }

    /** What went wrong is kept in the session, for the page that says so. */
    @Test
    void exceptionsOfWhatIsRefusedAreReadAndTheKnownGadgetAmongThemIsNot() throws Exception {
        for (Exception plain : List.of(
                new RemoteException("no answer", new IllegalStateException("cause")),
                new NotBoundException("shop"),
                new ExportException("port"),
                new InstanceNotFoundException("shop"),
                new MBeanException(new IllegalStateException("cause")),
                new RuntimeMBeanException(new IllegalStateException("cause")),
                new ScriptException("line", "price.js", 7))) {
            Exception read = (Exception) readOrFail(serializer(""), written(plain));
            assertEquals(plain.toString(), read.toString());
            assertEquals(String.valueOf(plain.getCause()), String.valueOf(read.getCause()));
        }
        UID number = new UID();
        assertEquals(number, readOrFail(serializer(""), written(number)));
        byte[] gadget = written(new BadAttributeValueExpException("x"));
        assertThrows(Unreadable.Refused.class, () -> serializer("").read(gadget, false));
        byte[] cause = written(new RemoteException("no answer", new InvalidApplicationException("x")));
        assertThrows(Unreadable.Refused.class, () -> serializer("").read(cause, false));
    }

    @Test
    void whatWillBeRefusedIsSaidWhereItIsWritten() {
        FakeStore store = new FakeStore();
        Node node = new Node(store);
        node.request(() -> {
            node.session.set("list", new ArrayList<>(List.of(new DefaultListModel<String>())));
            node.session.set("name", "Ann");
        });
        node.request(() -> node.session.set("list", new ArrayList<>(List.of(new DefaultListModel<String>(), 2))));
        node.backlog.work();
        assertEquals(
                List.of("NOTE refused /test list javax.swing.DefaultListModel"),
                store.asked.stream().filter(line -> line.startsWith("NOTE")).toList());
    }

    @Test
    void whatWillBeRefusedIsKeptWhereItIs() {
        Node node = new Node(new FakeStore());
        DefaultListModel<String> model = new DefaultListModel<>();
        node.request(() -> node.session.set("model", model));
        assertFalse(node.session.isEvictable());
        node.request(() -> assertEquals(model, node.get("model")));
        assertFalse(node.session.isEvictable());
        assertTrue(node.session.isIdle(), "the store has it, all the same");
        node.request(() -> node.session.set("model", new ArrayList<>()));
        assertTrue(node.session.isEvictable());
        node.request(() -> node.session.set("model", model));
        node.request(() -> node.session.remove("model"));
        assertTrue(node.session.isEvictable());
    }

    @Test
    void anAllowListIsAskedOfWhatIsWrittenToo() {
        StreamFilter filter = StreamFilter.of("java.util.*;java.lang.*;!*");
        assertFalse(filter.refuses(ArrayList.class));
        assertFalse(filter.refuses(long[].class));
        assertTrue(filter.refuses(AtomicInteger.class));
        assertTrue(filter.refuses(AtomicInteger[].class));
    }

    private static Object nested(int depth) {
        Object deep = "x";
        for (int i = 0; i < depth; i++) {
            deep = new Object[] {deep};
        }
        return deep;
    }

    private static Serializer serializer(String setting) {
        return serializer(StreamFilter.of(setting));
    }

    private static Serializer serializer(StreamFilter filter) {
        return new Serializer(StreamFilterTest.class::getClassLoader, filter, name -> true);
    }

    private static byte[] written(Object value) {
        try {
            return serializer("").write(value, null).bytes;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Object readOrFail(Serializer serializer, byte[] bytes) throws Exception {
        Object value = serializer.read(bytes, false).value;
        if (value == null) {
            throw new AssertionError("nothing");
        }
        return value;
    }

    private static final class Quiet implements InvocationHandler, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return "proxy";
        }
    }
}
