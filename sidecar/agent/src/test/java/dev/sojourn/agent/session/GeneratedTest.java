package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.InvalidClassException;
import java.io.ObjectStreamClass;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes that each JVM generates for itself. */
class GeneratedTest {
    private static final String CODE = "public int value = 1; public void one() {}";
    private static final String NAME = "Cart$$SpringCGLIB$$0";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {NAME, "Cart$$EnhancerBySpringCGLIB$$1a2b3c"})
    void oneWithAnotherUidIsReadAndReadBack(String name) throws Exception {
        Class<?> there = Compiled.of(folder, name, CODE);
        Class<?> here = Compiled.of(folder, name, CODE + "public void two() {}");
        assertNotEquals(uid(there), uid(here));
        Object value = there.getConstructor().newInstance();
        there.getField("value").set(value, 7);
        byte[] bytes = serializer(there, "").write(value, null).bytes;

        Serializer.Deserialized read = serializer(here, "").read(bytes, false);
        assertEquals(7, value(read.value, here));
        assertFalse(read.verbatim, "it is written with its own");

        byte[] back = serializer(here, "").write(value(read), null).bytes;
        assertEquals(7, value(serializer(there, "").read(back, false).value, there));
    }

    @Test
    void oneWithTheSameUidIsReadAsAnyOther() throws Exception {
        Class<?> type = Compiled.of(folder, NAME, CODE);
        Serializer serializer = serializer(type, "");
        byte[] bytes = serializer.write(type.getConstructor().newInstance(), null).bytes;
        Serializer.Deserialized read = serializer.read(bytes, false);
        assertArrayEquals(bytes, serializer.write(value(read), null).bytes);
    }

    @Test
    void oneWithOtherFieldsIsAnotherClass() throws Exception {
        refuses(InvalidClassException.class, NAME, CODE.replace("int value", "long value"), "");
        refuses(InvalidClassException.class, NAME, CODE + "String more;", "");
    }

    @Test
    void soIsOneThatWasNotGenerated() throws Exception {
        refuses(InvalidClassException.class, "Cart", CODE + "public void two() {}", "");
    }

    @Test
    void aFilterIsAskedFirst() throws Exception {
        String initialized = "dev.sojourn.initialized";
        String code = CODE + "private static final long serialVersionUID = 2; static { System.setProperty(\""
                + initialized + "\", \"\"); }";
        refuses(Unreadable.Refused.class, NAME, code, "!Cart*");
        assertEquals(null, System.getProperty(initialized));
    }

    private void refuses(Class<? extends Exception> with, String name, String code, String filter) throws Exception {
        Class<?> there = Compiled.of(folder, name, CODE);
        Class<?> here = Compiled.of(folder, name, code);
        byte[] bytes = serializer(there, "").write(there.getConstructor().newInstance(), null).bytes;
        assertThrows(with, () -> serializer(here, filter).read(bytes, false));
    }

    private static long uid(Class<?> type) {
        return ObjectStreamClass.lookup(type).getSerialVersionUID();
    }

    private static Serializer serializer(Class<?> type, String filter) {
        return new Serializer(type::getClassLoader, StreamFilter.of(filter), name -> true);
    }

    private static Object value(Serializer.Deserialized read) {
        if (read.value == null) {
            throw new AssertionError("nothing");
        }
        return read.value;
    }

    private static Object value(@Nullable Object object, Class<?> type) throws ReflectiveOperationException {
        return type.getField("value").get(object);
    }
}
