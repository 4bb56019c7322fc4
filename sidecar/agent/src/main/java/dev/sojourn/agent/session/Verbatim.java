package dev.sojourn.agent.session;

import java.io.Externalizable;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether this JVM would write what it reads byte by byte as it is read: so it is of classes that have no code of their own for that, in the version that wrote
 * it. In doubt it says no, and somebody has to try. (One superclass less than the writer's, with all else as it was, it does not see.)
 */
final class Verbatim {
    /** Their own code writes what it has read. {@link java.util.HashMap}'s does not: it writes how much room it has. */
    private static final Set<Class<?>> KNOWN = new HashSet<>(Arrays.asList(
            ArrayList.class,
            LinkedList.class,
            TreeMap.class,
            Date.class,
            BigDecimal.class,
            BigInteger.class,
            // Its constants are written by their names.
            Enum.class));

    private static final ClassValue<Verbatim.Local> LOCALS = new ClassValue<Verbatim.Local>() {
        @Override
        protected Local computeValue(Class<?> type) {
            return new Local(type);
        }
    };

    /** A class as this JVM has it. */
    private static final class Local {
        /** Null: what is read of it may be written differently. */
        final @Nullable ObjectStreamClass description;

        private final ObjectStreamField[] fields;

        Local(Class<?> type) {
            description = isPlain(type) ? ObjectStreamClass.lookup(type) : null;
            fields = description == null ? new ObjectStreamField[0] : description.getFields();
        }

        boolean isWrittenAs(ObjectStreamClass read) {
            return description != null
                    && description.getSerialVersionUID() == read.getSerialVersionUID()
                    && areSame(fields, read.getFields());
        }

        private static boolean areSame(ObjectStreamField[] some, ObjectStreamField[] others) {
            if (some.length != others.length) {
                return false;
            }
            for (int i = 0; i < some.length; i++) {
                if (!isSame(some[i], others[i])) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isSame(ObjectStreamField one, ObjectStreamField other) {
            return one.getTypeCode() == other.getTypeCode()
                    && one.getName().equals(other.getName())
                    && (one.isPrimitive() || one.getTypeString().equals(other.getTypeString()));
        }
    }

    private final List<Class<?>> seen = new ArrayList<>(4);
    private boolean holds = true;

    /** {@code type} is what this JVM has for a class in the stream. */
    void saw(ObjectStreamClass read, Class<?> type) {
        seen.add(type);
        holds = holds && LOCALS.get(type).isWrittenAs(read);
    }

    void sawSomethingElse() {
        holds = false;
    }

    /** Of all that was seen. */
    boolean holds() {
        return holds && seen.stream().allMatch(this::hasItsSuperclass);
    }

    private boolean hasItsSuperclass(Class<?> type) {
        Class<?> above = type.getSuperclass();
        return type.isArray() || !isSerializable(above) || seen.contains(above);
    }

    private static boolean isSerializable(@Nullable Class<?> type) {
        return type != null && Serializable.class.isAssignableFrom(type);
    }

    private static boolean isPlain(Class<?> type) {
        if (KNOWN.contains(type) || type.isArray() || type.isEnum()) {
            return true;
        }
        try {
            return isSerializable(type) && !Externalizable.class.isAssignableFrom(type) && !hasCode(type);
        } catch (LinkageError | RuntimeException e) {
            // One of its methods names a class that is not there.
            return false;
        }
    }

    /** Code for its serial form: see {@link Serializable}. A record's constructor may make anything of what was read. */
    private static boolean hasCode(Class<?> type) {
        return has(type, "writeObject", ObjectOutputStream.class)
                || has(type, "readObject", ObjectInputStream.class)
                || has(type, "readObjectNoData")
                || Arrays.stream(type.getDeclaredFields())
                        .anyMatch(field -> field.getName().equals("serialPersistentFields"))
                || isReplaced(type);
    }

    private static boolean isReplaced(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (has(each, "writeReplace")
                    || has(each, "readResolve")
                    || each.getName().equals("java.lang.Record")) {
                return true;
            }
        }
        return false;
    }

    private static boolean has(Class<?> type, String method, Class<?>... parameters) {
        try {
            return type.getDeclaredMethod(method, parameters) != null;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}
