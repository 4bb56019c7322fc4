package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ObjectInputFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The agent is there before the application's {@code main} is, which may set the JVM's filter. */
class LateFilterTest {
    @Test
    void theJvmsFilterIsAskedThoughItIsSetLater() throws Exception {
        AtomicReference<@Nullable ObjectInputFilter> jvms = new AtomicReference<>();
        StreamFilter filter = StreamFilter.create("maxdepth=100", null, jvms::get);
        Serializer serializer = new Serializer(getClass()::getClassLoader, filter, name -> true);
        byte[] bytes = serializer.write(new ArrayList<>(List.of("x")), null).bytes;
        assertEquals(List.of("x"), serializer.read(bytes, false).value);
        jvms.set(ObjectInputFilter.Config.createFilter("!java.util.ArrayList"));
        assertThrows(Unreadable.Refused.class, () -> serializer.read(bytes, false));
        assertTrue(filter.refuses(ArrayList.class));
    }

    /** Of a session that begins here nothing is read, and what other pods read of it is refused there. */
    @Test
    void itIsAskedOfWhatIsWrittenThoughNothingIsRead() throws Exception {
        AtomicReference<@Nullable ObjectInputFilter> jvms = new AtomicReference<>();
        StreamFilter filter = StreamFilter.create("maxdepth=100", null, jvms::get);
        Serializer serializer = new Serializer(getClass()::getClassLoader, filter, name -> true);
        List<String> value = new ArrayList<>(List.of("x"));
        assertNull(serializer.write(value, null).unread);
        jvms.set(ObjectInputFilter.Config.createFilter("!java.util.ArrayList"));
        Serializer.Unread unread = serializer.write(value, null).unread;
        assertTrue(unread != null && unread.type == ArrayList.class);
        assertTrue(filter.refuses(ArrayList.class));
    }
}
