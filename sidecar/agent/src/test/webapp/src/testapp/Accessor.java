package testapp;

import java.lang.reflect.Method;
import java.util.function.Consumer;
import javax.servlet.http.HttpSession;

/** The use of a session when no request is there, as of Servlet 6.1; by reflection, for older containers have none. */
final class Accessor {
    private Accessor() {}

    /** Sets the attribute once the gate is open, by a thread of the application's. */
    static void later(HttpSession session, String name, String value, String gate) {
        Object accessor = of(session);
        new Thread(() -> {
                    Gates.await(gate);
                    access(accessor, found -> found.setAttribute(name, value));
                })
                .start();
    }

    static Object of(HttpSession session) {
        return call(session, HttpSession.class, "getAccessor");
    }

    static void access(Object accessor, Consumer<HttpSession> use) {
        call(accessor, accessor.getClass(), "access", use);
    }

    private static Object call(Object on, Class<?> type, String name, Object... arguments) {
        try {
            for (Method method : type.getMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                    return method.invoke(on, arguments);
                }
            }
            throw new IllegalStateException("no method " + name);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
