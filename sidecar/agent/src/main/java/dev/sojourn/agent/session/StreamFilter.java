package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The configured deserialization filter (JEP 290), and the JVM's own. Reflective: the API is public from Java 9 on, and the
 * JDK's own from Java 8 update 121 on; older JVMs have none, there {@link ClassPatterns} looks at the names.
 *
 * <p>A stream's filter replaces the JVM's ({@code jdk.serialFilter}), so both are asked.
 */
public final class StreamFilter {
    private final @Nullable Method set;
    private final @Nullable ClassPatterns names;
    private final @Nullable Learned learned;
    private volatile Rules rules;
    /** Null once it has told: an application may set the JVM's filter when it begins, and no other after it. */
    private volatile @Nullable Late late;

    /** What is asked, without or with the JVM's own filter. */
    private static final class Rules {
        final @Nullable Object filter;
        /** Found out once for each class: every class of every value that is written is asked about. */
        final ClassValue<Boolean> refused;

        Rules(@Nullable Object filter, Predicate<Class<?>> refuses) {
            this.filter = filter;
            this.refused = new ClassValue<Boolean>() {
                @Override
                protected Boolean computeValue(Class<?> type) {
                    return refuses.test(type);
                }
            };
        }
    }

    /** Null as long as the JVM has no filter of its own. */
    private interface Late {
        @Nullable
        Rules withJvms() throws ReflectiveOperationException;
    }

    /** The JVM's own filter; null: it has none yet. */
    interface Own {
        @Nullable
        Object now() throws ReflectiveOperationException;
    }

    private StreamFilter(
            @Nullable Method set,
            @Nullable ClassPatterns names,
            @Nullable Learned learned,
            Rules rules,
            @Nullable Late late) {
        this.set = set;
        this.names = names;
        this.learned = learned;
        this.rules = rules;
        this.late = late;
    }

    /** Whatever is wrong with the setting: the known gadgets are refused. */
    public static StreamFilter of(String setting) {
        try {
            FilterSetting parsed = FilterSetting.of(setting);
            Learned learned = parsed.learn == null ? null : new Learned(parsed.learn).load();
            return create(parsed.pattern, learned);
        } catch (IOException | IllegalArgumentException e) {
            // An allow-list that cannot be read must not become no list at all.
            Log.warn("deserialization.filter cannot be used, no attribute can be read in this JVM until it is mended: "
                    + setting + ": " + e);
            return create("!*", null);
        }
    }

    static StreamFilter create(String pattern, @Nullable Learned learned) {
        return create(pattern, learned, null);
    }

    /** {@code own}: in place of the JVM's. */
    static StreamFilter create(String pattern, @Nullable Learned learned, @Nullable Own own) {
        for (String api : new String[] {"java.io.ObjectInputFilter", "sun.misc.ObjectInputFilter"}) {
            try {
                return create(api, pattern, learned, own);
            } catch (ClassNotFoundException e) {
                // An older JVM: the next one.
            } catch (InvocationTargetException e) {
                throw new IllegalArgumentException(String.valueOf(e.getCause()), e);
            } catch (ReflectiveOperationException e) {
                Log.warn("this JVM's deserialization filter cannot be set, class names are checked instead: " + e);
            }
        }
        ClassPatterns names = ClassPatterns.of(pattern);
        return new StreamFilter(null, names, learned, new Rules(null, type -> !names.allow(type.getName())), null);
    }

    private static StreamFilter create(String api, String pattern, @Nullable Learned learned, @Nullable Own own)
            throws ReflectiveOperationException {
        Class<?> type = Class.forName(api);
        Class<?> config = Class.forName(api + "$Config");
        Object ours = config.getMethod("createFilter", String.class).invoke(null, pattern);
        Method jvms = config.getMethod("getSerialFilter");
        Own asked = own == null ? () -> jvms.invoke(null) : own;
        Late late = () -> {
            Object now = asked.now();
            return now == null ? null : rules(type, both(type, ours, now), learned);
        };
        Rules first = late.withJvms();
        Method set = api.startsWith("java.")
                ? ObjectInputStream.class.getMethod("setObjectInputFilter", type)
                : config.getMethod("setObjectInputFilter", ObjectInputStream.class, type);
        return first == null
                ? new StreamFilter(set, null, learned, rules(type, ours, learned), late)
                : new StreamFilter(set, null, learned, first, null);
    }

    private static Rules rules(Class<?> type, Object asked, @Nullable Learned learned)
            throws ReflectiveOperationException {
        return new Rules(learned == null ? asked : learning(type, asked, learned), refusing(type, asked));
    }

    private Rules rules() throws ReflectiveOperationException {
        Late waits = late;
        Rules found = waits == null ? null : waits.withJvms();
        if (found != null) {
            rules = found;
            late = null;
        }
        return rules;
    }

    /** Of the learning mode. */
    public @Nullable Learned learned() {
        return learned;
    }

    /** Whether an object of this class, though it can be written, could not be read again here. */
    boolean refuses(Class<?> type) {
        return refusals().get(type);
    }

    /** Of each class, {@link #refuses}: for one value, of which many may be asked about. */
    ClassValue<Boolean> refusals() {
        try {
            return rules().refused;
        } catch (ReflectiveOperationException e) {
            // Reading will tell.
            return rules.refused;
        }
    }

    void apply(ObjectInputStream stream) throws InvalidClassException {
        if (set == null) {
            return;
        }
        try {
            Object filter = rules().filter;
            if (Modifier.isStatic(set.getModifiers())) {
                set.invoke(null, stream, filter);
            } else {
                set.invoke(stream, filter);
            }
        } catch (ReflectiveOperationException e) {
            // Reading without the filter that was asked for would be worse than not reading.
            throw new InvalidClassException("the deserialization filter could not be set: " + e);
        }
    }

    /** Before a class of the stream is looked for. */
    void check(String className) throws InvalidClassException {
        if (names != null && !names.allow(className)) {
            throw new Unreadable.Refused(className, BY);
        }
        if (names != null && learned != null) {
            learned.saw(className);
        }
    }

    /** The JDK says that a filter refused, not what; {@code last} is the class that the stream named last, null if that is not known. */
    IOException refused(InvalidClassException cause, @Nullable Class<?> last) {
        String message = cause.getMessage();
        if (message == null || !message.contains("filter status")) {
            return cause;
        }
        boolean isAllowed = last != null && !refuses(last);
        return new Unreadable.Refused(last == null ? null : last.getName(), isAllowed ? BY_LIMIT : BY);
    }

    static final String BY =
            "refused by deserialization.filter, or by the JVM's own; allow the class there if it is the application's";

    private static final String BY_LIMIT =
            "the class is allowed, but something near it is refused by deserialization.filter, or by the JVM's own:"
                    + " deeper than maxdepth, more than maxrefs, an array longer than maxarray, or of a class that is"
                    + " not allowed, as a map's java.util.Map$Entry; raise the limit, or allow that, there";

    private static Object both(Class<?> type, Object ours, Object jvms) throws ReflectiveOperationException {
        Method check = checkOf(type);
        return proxy(type, ours + ";" + jvms, info -> {
            Object first = check.invoke(ours, info);
            Object second = check.invoke(jvms, info);
            return String.valueOf(first).equals("REJECTED")
                            || String.valueOf(second).equals("UNDECIDED")
                    ? first
                    : second;
        });
    }

    /** Asked about more than the stream's own classes: what a map allocates to read itself is asked about, too. */
    private static Object learning(Class<?> type, Object filter, Learned learned) throws ReflectiveOperationException {
        Method check = checkOf(type);
        Method serialClass = Class.forName(type.getName() + "$FilterInfo").getMethod("serialClass");
        return proxy(type, filter + ";learning", info -> {
            Object answer = check.invoke(filter, info);
            Class<?> asked = (Class<?>) serialClass.invoke(info);
            if (asked != null && !String.valueOf(answer).equals("REJECTED")) {
                learned.saw(asked);
            }
            return answer;
        });
    }

    private static Predicate<Class<?>> refusing(Class<?> type, Object filter) throws ReflectiveOperationException {
        Method check = checkOf(type);
        Class<?> info = Class.forName(type.getName() + "$FilterInfo");
        return asked -> {
            // At the beginning of a stream, and of no array.
            InvocationHandler start = (proxy, method, arguments) -> {
                if (method.getReturnType() == long.class) {
                    return method.getName().equals("arrayLength") ? -1L : 1L;
                }
                return method.getReturnType() == Class.class ? asked : null;
            };
            Object question = Proxy.newProxyInstance(StreamFilter.class.getClassLoader(), new Class<?>[] {info}, start);
            try {
                return String.valueOf(check.invoke(filter, question)).equals("REJECTED");
            } catch (ReflectiveOperationException e) {
                // The JVM's own, if that is one of the application's, may fail; reading will tell.
                return false;
            }
        };
    }

    private interface Judge {
        @Nullable
        Object of(Object info) throws ReflectiveOperationException;
    }

    private static Method checkOf(Class<?> type) throws ReflectiveOperationException {
        return type.getMethod("checkInput", Class.forName(type.getName() + "$FilterInfo"));
    }

    private static Object proxy(Class<?> type, String name, Judge judge) {
        InvocationHandler handler =
                (proxy, method, arguments) -> method.getName().equals("checkInput")
                        ? judge.of(arguments[0])
                        : method.getName().equals("toString") ? name : null;
        return Proxy.newProxyInstance(StreamFilter.class.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
