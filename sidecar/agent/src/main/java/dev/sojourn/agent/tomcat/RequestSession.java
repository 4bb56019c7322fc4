package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.session.SessionState;
import java.lang.reflect.Field;
import org.apache.catalina.Context;
import org.apache.catalina.Manager;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.catalina.connector.Request;
import org.jspecify.annotations.Nullable;

/** The session that a request has, whatever thread has asked for it. Tomcat keeps it to itself: its own getters count as an access, and load it. */
final class RequestSession {
    private static final @Nullable Field OF = find();

    private RequestSession() {}

    /** The one that it has got, or else the one that its id names; null if there is none in this JVM. */
    static @Nullable SessionState heldOf(org.apache.coyote.Request coyote) {
        Object note = coyote.getNote(CoyoteAdapter.ADAPTER_NOTES);
        if (!(note instanceof Request)) {
            return null;
        }
        Request request = (Request) note;
        Object got = got(request);
        SojournSession session = got instanceof SojournSession ? (SojournSession) got : named(request);
        return session == null ? null : session.state();
    }

    private static @Nullable SojournSession named(Request request) {
        String id = request.getRequestedSessionId();
        Context context = id == null ? null : request.getContext();
        Manager manager = context == null ? null : context.getManager();
        return manager instanceof SojournManager ? ((SojournManager) manager).held(id) : null;
    }

    private static @Nullable Object got(Request request) {
        try {
            return OF == null ? null : OF.get(request);
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.debug("a request's session is not told: " + e);
            return null;
        }
    }

    private static @Nullable Field find() {
        try {
            Field field = Request.class.getDeclaredField("session");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.debug("requests' sessions are not told, this Tomcat is another one: " + e);
            return null;
        }
    }
}
