package testapp;

import java.lang.reflect.Method;
import java.util.function.Consumer;
import javax.servlet.http.HttpSession;

/** The use of a session when no request is there, as of Servlet 6.1; by reflection, for older containers have none. */
final class Accessor {
    private Accessor() {}

    /** Sets the attribute once the gate is open, by a thread of the application's. */
    static void later(HttpSession session, String name, String value, String gate) {
        Object accessor = call(session, HttpSession.class, "getAccessor");
        Consumer<HttpSession> set = found -> found.setAttribute(name, value);
        new Thread(() -> {
                    Gates.await(gate);
                    call(accessor, accessor.getClass(), "access", set);
                })
                .start();
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
