package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.io.ByteArrayInputStream;
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
    private final StreamFilter filter;
    private final Predicate<String> allowed;

    /** {@code allowed}: the container's own filter of class names. */
    public Serializer(Supplier<ClassLoader> loader, StreamFilter filter, Predicate<String> allowed) {
        this.loader = loader;
        this.filter = filter;
        this.allowed = allowed;
    }

    /** {@code like}: what the value was last time; returned itself if it is the same now. */
    byte[] write(Object value, byte @Nullable [] like) throws IOException {
        byte[] written = bytes(value, like);
        if (written != like && filter.learned() != null) {
            learn(written);
        }
        return written;
    }

    private byte[] bytes(Object value, byte @Nullable [] like) throws IOException {
        Scratch scratch = Scratch.take(like == null ? 0 : like.length);
        ClassLoader before = bind(loader.get());
        try {
            try (ObjectOutputStream out = new ObjectOutputStream(scratch)) {
                out.writeObject(value);
            }
            return scratch.written(like);
        } finally {
            bind(before);
            scratch.giveBack();
        }
    }

    @Nullable
    Object read(byte[] bytes, boolean containersOwn) throws IOException, ClassNotFoundException {
        ClassLoader webapp = loader.get();
        ClassLoader before = bind(webapp);
        try (WebappInput in = new WebappInput(new ByteArrayInputStream(bytes), webapp, containersOwn)) {
            filter.apply(in);
            try {
                return in.readObject();
            } catch (InvalidClassException e) {
                throw StreamFilter.refused(e, in.last);
            }
        } finally {
            bind(before);
        }
    }

    /** What reading it elsewhere will need; a single pod reads hardly anything. */
    private void learn(byte[] written) {
        try {
            read(written, false);
        } catch (IOException | ClassNotFoundException | RuntimeException | LinkageError e) {
            Log.debug("not everything was learned of a value, it cannot be read: " + e);
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
        private @Nullable String last;

        WebappInput(InputStream in, ClassLoader webapp, boolean containersOwn) throws IOException {
            super(in);
            this.webapp = webapp;
            this.containersOwn = containersOwn;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            String name = description.getName();
            last = name;
            filter.check(name);
            if (!containersOwn && !allowed.test(name) && !name.equals(Groups.className())) {
                throw new Unreadable.Refused(name, "not allowed by the manager's sessionAttributeValueClassNameFilter");
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
