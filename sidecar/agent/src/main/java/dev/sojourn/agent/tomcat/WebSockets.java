package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.catalina.Context;
import org.apache.catalina.Session;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.coyote.Request;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat closes the WebSockets of whoever is logged in when his session ends in their JVM. Where it ends in another one, Tomcat is told to here, by the public
 * methods that its own listeners call. Reflective: they are in a part of Tomcat that need not be there, and of several names.
 */
final class WebSockets {
    /** The attribute by which Tomcat 9.0.121, 10.1.58, 11.0.25 and later know under which key they have a session's sockets; before it was the session's id. */
    static final String KEY = "org.apache.tomcat.websocket.server.WsHttpSessionBindingListener";

    private static final String[] KEY_GETTERS = {"key", "getKey"};
    private static final String[] CLOSERS = {"handleHttpSessionKeyUnbound", "closeAuthenticatedSession"};

    private WebSockets() {}

    /** The request becomes a connection of its own, perhaps a WebSocket, which Tomcat knows by the session that the request has. */
    static void opening(Request request) {
        Object note = request.getNote(CoyoteAdapter.ADAPTER_NOTES);
        Session session = note instanceof org.apache.catalina.connector.Request
                ? ((org.apache.catalina.connector.Request) note).getSessionInternal(false)
                : null;
        if (session instanceof SojournSession) {
            opening((SojournSession) session);
        }
    }

    static void opening(SojournSession session) {
        session.opens(keyOf(session));
    }

    private static String keyOf(SojournSession session) {
        Object listener = session.state().get(KEY);
        Object key = null;
        try {
            key = listener == null ? null : call(listener, KEY_GETTERS);
        } catch (ReflectiveOperationException e) {
            warn(e);
        }
        return key instanceof String ? (String) key : session.getIdInternal();
    }

    static void close(Context context, String key) {
        try {
            Object container = container(context);
            if (container != null) {
                call(container, CLOSERS, key);
            }
        } catch (ReflectiveOperationException e) {
            warn(e);
        }
    }

    /** Null: the application has no WebSockets. */
    private static @Nullable Object container(Context context) throws ReflectiveOperationException {
        Method getter = Context.class.getMethod("getServletContext");
        Class<?> type = getter.getReturnType();
        String servlet = type.getName();
        String name = servlet.substring(0, servlet.indexOf('.')) + ".websocket.server.ServerContainer";
        return type.getMethod("getAttribute", String.class).invoke(getter.invoke(context), name);
    }

    /** The first method of these names that there is. */
    private static @Nullable Object call(Object on, String[] names, Object... arguments)
            throws ReflectiveOperationException {
        for (String name : names) {
            for (Method method : on.getClass().getMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                    return method.invoke(on, arguments);
                }
            }
        }
        throw new NoSuchMethodException(on.getClass().getName() + '.' + String.join(" or ", names));
    }

    private static void warn(ReflectiveOperationException e) {
        Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
        Log.warnOnce(
                "a user's WebSockets stay open though his session has ended on another node, for Tomcat could not be told: "
                        + cause);
    }
}
