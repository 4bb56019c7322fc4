package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedList;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Values to bytes and back, with the web application's class loader and behind its filters. */
public final class Serializer {
    /** They say how many elements follow, and then write more or fewer where another thread changes them, which nobody can read. Other collections throw. */
    private static final Set<Class<?>> HEEDLESS = new HashSet<>(Arrays.asList(
            HashMap.class, IdentityHashMap.class, LinkedList.class, ArrayDeque.class, PriorityQueue.class));

    private final Supplier<ClassLoader> loader;
    private final StreamFilter filter;
    private final Predicate<String> allowed;
    private final Reach reach;

    /** {@code allowed}: the container's own filter of class names. */
    public Serializer(Supplier<ClassLoader> loader, StreamFilter filter, Predicate<String> allowed) {
        this.loader = loader;
        this.filter = filter;
        this.allowed = allowed;
        this.reach = new Reach(loader);
    }

    /** {@code like}: what the value was last time; its bytes are these themselves if it is the same now. */
    Serialized write(Object value, byte @Nullable [] like) throws IOException {
        Serialized written = DeepStack.write(like == null ? 0 : like.length, () -> serialized(value, like));
        if (written.bytes != like && filter.learned() != null) {
            learn(written.bytes);
        }
        return written;
    }

    private Serialized serialized(Object value, byte @Nullable [] like) throws IOException {
        Scratch scratch = Scratch.take(like == null ? 0 : like.length);
        ClassLoader before = bind(loader.get());
        try {
            boolean heedless;
            Unread unread;
            try (Output out = new Output(scratch)) {
                out.writeObject(value);
                heedless = out.heedless;
                unread = out.unread;
            }
            return new Serialized(scratch.written(like), heedless, unread);
        } finally {
            bind(before);
            scratch.giveBack();
        }
    }

    Deserialized read(byte[] bytes, boolean containersOwn) throws IOException, ClassNotFoundException {
        return DeepStack.read(bytes.length, () -> deserialized(bytes, containersOwn));
    }

    private Deserialized deserialized(byte[] bytes, boolean containersOwn) throws IOException, ClassNotFoundException {
        ClassLoader webapp = loader.get();
        ClassLoader before = bind(webapp);
        try (WebappInput in = new WebappInput(new Verbatim(bytes), webapp, containersOwn)) {
            filter.apply(in);
            try {
                Object value = in.readObject();
                boolean verbatim = in.verbatim.holds();
                return new Deserialized(value, verbatim, !verbatim && in.verbatim.isFickle());
            } catch (InvalidClassException e) {
                throw filter.refused(e, in.last);
            }
        } finally {
            bind(before);
        }
    }

    /** What reading it elsewhere will need; a single pod reads hardly anything. */
    private void learn(byte[] written) {
        try {
            read(written, false);
        } catch (IOException | ClassNotFoundException | RuntimeException | LinkageError | StackOverflowError e) {
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

    /** A value's bytes. */
    static final class Serialized {
        final byte[] bytes;
        /** Had another thread changed it meanwhile, nothing would have said so. */
        final boolean heedless;
        /** Why it will not be read again; null: nothing is known that speaks against it. */
        final @Nullable Unread unread;

        private Serialized(byte[] bytes, boolean heedless, @Nullable Unread unread) {
            this.bytes = bytes;
            this.heedless = heedless;
            this.unread = unread;
        }
    }

    /** A class of which no object will be made of what is written, here or elsewhere. */
    static final class Unread {
        final Class<?> type;
        final Notes.Kind kind;
        final String cause;

        private Unread(Class<?> type, Notes.Kind kind, String cause) {
            this.type = type;
            this.kind = kind;
            this.cause = cause;
        }
    }

    /** What bytes were of. */
    static final class Deserialized {
        final @Nullable Object value;
        /** While nobody changes it this JVM writes these bytes. */
        final boolean verbatim;
        /** Of each object that is read of them it may write other bytes, though nobody changes any. */
        final boolean fickle;

        private Deserialized(@Nullable Object value, boolean verbatim, boolean fickle) {
            this.value = value;
            this.verbatim = verbatim;
            this.fickle = fickle;
        }
    }

    private final class Output extends ObjectOutputStream {
        /** Null: it has none that could be refused, yet. */
        private @Nullable ClassValue<Boolean> refusals;

        private boolean heedless;
        private @Nullable Unread unread;

        Output(OutputStream out) throws IOException {
            super(out);
        }

        /** Called once for each class among the value's, those that others extend too. */
        @Override
        protected void annotateClass(Class<?> type) {
            heedless |= HEEDLESS.contains(type);
            askFilter(type);
            askReach(type);
        }

        @Override
        protected void annotateProxyClass(Class<?> type) {
            askFilter(type);
            for (Class<?> each : type.getInterfaces()) {
                askFilter(each);
                askReach(each);
            }
        }

        private void askFilter(Class<?> type) {
            if (refusals == null) {
                refusals = filter.refusals();
            }
            if (unread == null && refusals.get(type)) {
                unread = new Unread(type, Notes.Kind.REFUSED, StreamFilter.BY);
            }
        }

        private void askReach(Class<?> type) {
            if (unread == null && reach.excludes(type)) {
                unread = new Unread(type, Notes.Kind.UNREADABLE, Reach.why(type));
            }
        }
    }

    private final class WebappInput extends ObjectInputStream {
        private final ClassLoader webapp;
        private final boolean containersOwn;
        private final Verbatim verbatim;
        /** Of the classes of the stream, if it was looked for. */
        private @Nullable Class<?> last;

        WebappInput(Verbatim in, ClassLoader webapp, boolean containersOwn) throws IOException {
            super(in);
            this.verbatim = in;
            this.webapp = webapp;
            this.containersOwn = containersOwn;
        }

        @Override
        protected ObjectStreamClass readClassDescriptor() throws IOException, ClassNotFoundException {
            verbatim.describes();
            ObjectStreamClass read = super.readClassDescriptor();
            ObjectStreamClass local = Generated.isOne(read.getName()) ? local(read) : null;
            if (local == null) {
                return read;
            }
            verbatim.sawSomethingElse();
            return local;
        }

        private @Nullable ObjectStreamClass local(ObjectStreamClass read) {
            try {
                Class<?> type = find(read);
                // To look at a class initializes it.
                return filter.refuses(type) ? null : Generated.local(read, type);
            } catch (IOException | ClassNotFoundException | LinkageError e) {
                // It is told where the class is needed.
                return null;
            }
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            Class<?> type = find(description);
            last = type;
            verbatim.saw(description, type);
            if (Fickle.isToldByObjects(type)) {
                // Not from the beginning: it takes its time.
                enableResolveObject(true);
            }
            return type;
        }

        @Override
        protected Object resolveObject(Object object) {
            verbatim.made(object);
            return object;
        }

        private Class<?> find(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            String name = description.getName();
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
            verbatim.sawSomethingElse();
            last = null;
            Class<?>[] types = new Class<?>[interfaces.length];
            for (int i = 0; i < interfaces.length; i++) {
                types[i] = Class.forName(interfaces[i], false, webapp);
                last = filter.refuses(types[i]) ? types[i] : last;
            }
            try {
                return Proxy.getProxyClass(loaderFor(types), types);
            } catch (IllegalArgumentException e) {
                throw new ClassNotFoundException("proxy", e);
            }
        }

        /** Of interfaces that are not public their own, as the JDK has it: only there a class may implement them. */
        private ClassLoader loaderFor(Class<?>[] interfaces) {
            for (Class<?> each : interfaces) {
                if (!Modifier.isPublic(each.getModifiers())) {
                    return each.getClassLoader();
                }
            }
            return webapp;
        }
    }
}
