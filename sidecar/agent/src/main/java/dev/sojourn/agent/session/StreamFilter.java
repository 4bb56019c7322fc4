package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * The configured deserialization filter, and the JVM's own. Reflective: the API is public from Java 9 on.
 *
 * <p>Before Java 17 a stream's filter replaces the JVM's ({@code jdk.serialFilter}); then both are asked.
 */
public final class StreamFilter {
    private final Method set;
    private final Object filter;

    private StreamFilter(Method set, Object filter) {
        this.set = set;
        this.filter = filter;
    }

    /** Null if this JVM has no such filters (Java 8 before update 121 and its likes). */
    public static @Nullable StreamFilter of(String pattern) {
        try {
            Class<?> type = Class.forName("java.io.ObjectInputFilter");
            Class<?> config = Class.forName("java.io.ObjectInputFilter$Config");
            Object ours = config.getMethod("createFilter", String.class).invoke(null, pattern);
            Object jvms = config.getMethod("getSerialFilter").invoke(null);
            Object both = jvms == null ? ours : both(type, ours, jvms);
            return new StreamFilter(ObjectInputStream.class.getMethod("setObjectInputFilter", type), both);
        } catch (ClassNotFoundException e) {
            return null;
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("deserialization.filter: " + e.getCause(), e);
        } catch (ReflectiveOperationException e) {
            Log.warn("this JVM's deserialization filter cannot be set: " + e);
            return null;
        }
    }

    void apply(ObjectInputStream stream) throws InvalidClassException {
        try {
            set.invoke(stream, filter);
        } catch (ReflectiveOperationException e) {
            // Reading without the filter that was asked for would be worse than not reading.
            throw new InvalidClassException("the deserialization filter could not be set: " + e);
        }
    }

    private static Object both(Class<?> type, Object ours, Object jvms) throws ReflectiveOperationException {
        Method check = type.getMethod("checkInput", Class.forName("java.io.ObjectInputFilter$FilterInfo"));
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (!method.getName().equals("checkInput")) {
                return method.getName().equals("toString") ? ours + ";" + jvms : null;
            }
            Object first = check.invoke(ours, arguments);
            Object second = check.invoke(jvms, arguments);
            return String.valueOf(first).equals("REJECTED")
                            || String.valueOf(second).equals("UNDECIDED")
                    ? first
                    : second;
        };
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
