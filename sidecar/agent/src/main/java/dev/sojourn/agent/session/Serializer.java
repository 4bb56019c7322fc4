package dev.sojourn.agent.session;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Values to bytes and back, with the web application's class loader and behind its filters. */
public final class Serializer {
    private final Supplier<ClassLoader> loader;
    private final @Nullable StreamFilter filter;
    private final Predicate<String> allowed;

    /** {@code allowed}: the container's own filter of class names. */
    public Serializer(Supplier<ClassLoader> loader, @Nullable StreamFilter filter, Predicate<String> allowed) {
        this.loader = loader;
        this.filter = filter;
        this.allowed = allowed;
    }

    byte[] write(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        ClassLoader before = bind(loader.get());
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        } finally {
            bind(before);
        }
        return bytes.toByteArray();
    }

    @Nullable
    Object read(byte[] bytes, boolean containersOwn) throws IOException, ClassNotFoundException {
        ClassLoader webapp = loader.get();
        ClassLoader before = bind(webapp);
        try (ObjectInputStream in = new WebappInput(new ByteArrayInputStream(bytes), webapp, containersOwn)) {
            if (filter != null) {
                filter.apply(in);
            }
            return in.readObject();
        } finally {
            bind(before);
        }
    }

    /** The application's code may be running on this thread right now: the container binds its loader around it. */
    boolean isBound() {
        return Thread.currentThread().getContextClassLoader() == loader.get();
    }

    private static ClassLoader bind(ClassLoader loader) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        if (before != loader) {
            thread.setContextClassLoader(loader);
        }
        return before;
    }

    private final class WebappInput extends ObjectInputStream {
        private final ClassLoader webapp;
        private final boolean containersOwn;

        WebappInput(InputStream in, ClassLoader webapp, boolean containersOwn) throws IOException {
            super(in);
            this.webapp = webapp;
            this.containersOwn = containersOwn;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            String name = description.getName();
            if (!containersOwn && !allowed.test(name)) {
                throw new InvalidClassException(
                        name, "not allowed by the manager's sessionAttributeValueClassNameFilter");
            }
            try {
                return Class.forName(name, false, webapp);
            } catch (ClassNotFoundException e) {
                // Primitive types have no loader that would find them.
                return super.resolveClass(description);
            }
        }

        @Override
        @SuppressWarnings("deprecation") // The replacement cannot make a class from interfaces of a named loader.
        protected Class<?> resolveProxyClass(String[] interfaces) throws IOException, ClassNotFoundException {
            Class<?>[] types = new Class<?>[interfaces.length];
            for (int i = 0; i < interfaces.length; i++) {
                types[i] = Class.forName(interfaces[i], false, webapp);
            }
            try {
                return Proxy.getProxyClass(webapp, types);
            } catch (IllegalArgumentException e) {
                throw new ClassNotFoundException("proxy", e);
            }
        }
    }
}
