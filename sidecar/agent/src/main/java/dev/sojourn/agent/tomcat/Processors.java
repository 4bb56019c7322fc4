package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import java.lang.reflect.Field;
import org.apache.coyote.Request;
import org.jspecify.annotations.Nullable;

/** The processors that requests are at work for, which Tomcat keeps to itself. Tomcat uses requests again: what was one's may be another's. */
final class Processors {
    private static final @Nullable Field OF = find();

    private Processors() {}

    /** Null: nobody can tell. */
    static @Nullable Object of(Request request) {
        try {
            return OF == null ? null : OF.get(request);
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.debug("a request's processor is not told: " + e);
            return null;
        }
    }

    private static @Nullable Field find() {
        try {
            Field field = Request.class.getDeclaredField("hook");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.debug("requests' processors are not told, this Tomcat is another one: " + e);
            return null;
        }
    }
}
