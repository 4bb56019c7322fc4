package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes of a JSP, a script or a plug-in have a loader of their own, which no other pod has and this one does not read with. */
class ReachTest {
    @TempDir
    Path folder;

    private Object value = "";

    @BeforeEach
    void make() throws Exception {
        value = Compiled.of(folder, "Line", "").getConstructor().newInstance();
    }

    @Test
    void whatTheApplicationsLoaderDoesNotFindIsSaidWhereItIsWritten() {
        FakeStore store = new FakeStore();
        Node node = new Node(store);
        node.request(() -> node.session.set("lines", new ArrayList<>(List.of(value))));
        node.backlog.work();
        assertEquals(
                List.of("NOTE unreadable /test lines Line"),
                store.asked.stream().filter(line -> line.startsWith("NOTE")).toList());
    }

    @Test
    void itIsKeptWhereItIs() {
        Node node = new Node(new FakeStore());
        node.request(() -> node.session.set("line", value));
        assertFalse(node.session.isEvictable(), "nobody could make an object of it again");
        assertTrue(node.session.isIdle(), "the store has it, all the same");
        node.request(() -> node.session.set("line", "text"));
        assertTrue(node.session.isEvictable());
    }

    @Test
    void theApplicationsOwnAndTheJvmsAreFound() throws Exception {
        ClassLoader own = value.getClass().getClassLoader();
        assertNull(unread(own, value));
        assertNull(unread(own, new Object[] {new int[0], List.of(), int.class, Thread.State.NEW}));
        assertNull(unread(new ClassLoader(null) {}, new Mine()), "the agent's loader is asked, too");
    }

    private static final class Mine implements java.io.Serializable {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void whatIsSaidIsSo() throws Exception {
        Serializer serializer = serializer(getClass().getClassLoader());
        Serializer.Serialized written = serializer.write(value, null);
        assertNotNull(written.unread);
        assertThrows(ClassNotFoundException.class, () -> serializer.read(written.bytes, false));
    }

    /** Its loader finds nothing any more, and is not asked again: what it has said would hold after a reload, too. */
    @Test
    void nothingIsSaidOfAWebApplicationThatIsStopped() throws Exception {
        ClassLoader[] now = {null};
        Serializer serializer = new Serializer(() -> now[0], StreamFilter.of(""), name -> true);
        assertNull(serializer.write(value, null).unread);
        now[0] = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                throw new ClassNotFoundException(name, new IllegalStateException("stopped"));
            }
        };
        assertNull(serializer.write(value, null).unread);
        now[0] = getClass().getClassLoader();
        assertNotNull(serializer.write(value, null).unread);
    }

    /** Its own class is made anew of its interfaces where it is read. */
    @Test
    void aProxyIsFoundByItsInterfaces() throws Exception {
        Object proxy = Proxy.newProxyInstance(
                value.getClass().getClassLoader(), new Class<?>[] {Comparable.class}, new ProxyTest.Silent());
        assertNull(unread(getClass().getClassLoader(), proxy));
    }

    private static Serializer.@Nullable Unread unread(ClassLoader webapp, Object value) throws Exception {
        return serializer(webapp).write(value, null).unread;
    }

    private static Serializer serializer(ClassLoader webapp) {
        return new Serializer(() -> webapp, StreamFilter.of(""), name -> true);
    }
}
