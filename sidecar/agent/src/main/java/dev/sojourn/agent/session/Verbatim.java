package dev.sojourn.agent.session;

import java.io.ByteArrayInputStream;
import java.io.Externalizable;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamConstants;
import java.io.ObjectStreamField;
import java.io.Serializable;
import java.lang.reflect.Modifier;
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
 * An object's bytes, and whether this JVM would write the same while nobody changes what it reads of them: it would where all is of classes that have no code
 * of their own for that, in the version that wrote them. In doubt it says no, and somebody has to try.
 */
final class Verbatim extends ByteArrayInputStream {
    /**
     * Their own code writes what it has read. {@link java.util.HashMap}'s does not: it writes how much room it has. Nor do enums: a constant's name is written
     * once with another string that is the same, and read as two.
     */
    private static final Set<Class<?>> KNOWN = new HashSet<>(Arrays.asList(
            ArrayList.class, LinkedList.class, TreeMap.class, Date.class, BigDecimal.class, BigInteger.class));

    private static final ClassValue<Local> LOCALS = new ClassValue<Local>() {
        @Override
        protected Local computeValue(Class<?> type) {
            return new Local(type);
        }
    };

    /** A class as this JVM has it. */
    private static final class Local {
        /** Null: what is read of it may be written differently. */
        private final @Nullable ObjectStreamClass description;

        private final ObjectStreamField[] fields;
        private final int flags;
        private final @Nullable Class<?> above;

        Local(Class<?> type) {
            description = isPlain(type) ? ObjectStreamClass.lookup(type) : null;
            fields = description == null ? new ObjectStreamField[0] : description.getFields();
            int code = KNOWN.contains(type) ? ObjectStreamConstants.SC_WRITE_METHOD : 0;
            flags = ObjectStreamConstants.SC_SERIALIZABLE | code;
            Class<?> superclass = type.isArray() ? null : type.getSuperclass();
            above = isSerializable(superclass) ? superclass : null;
        }

        boolean isWrittenAs(Seen seen) {
            return description != null
                    && seen.flags == flags
                    && description.getSerialVersionUID() == seen.read.getSerialVersionUID()
                    && areSame(fields, seen.read.getFields());
        }
    }

    /** A class that the bytes describe. */
    private static final class Seen {
        final ObjectStreamClass read;
        /** What this JVM has for it. */
        final Class<?> type;

        final int flags;
        /** How its superclass is described. */
        final int above;

        Seen(ObjectStreamClass read, Class<?> type, int flags, int above) {
            this.read = read;
            this.type = type;
            this.flags = flags;
            this.above = above;
        }
    }

    private final List<Seen> seen = new ArrayList<>(4);
    private boolean holds = true;
    /** Something is written in the order of hash codes. */
    private boolean hashes;
    /** Where the last class's description begins. */
    private int described;

    private int descriptions;

    Verbatim(byte[] bytes) {
        super(bytes);
    }

    /** A class's description comes next. */
    void describes() {
        described = pos;
        descriptions++;
    }

    /**
     * It was read, and {@code type} is what this JVM has for that class. See {@code newClassDesc} in the Object Serialization Stream Protocol: its name, 8
     * bytes, its flags, its fields; then nothing, for who wrote it annotates no class, and its superclass.
     */
    void saw(ObjectStreamClass read, Class<?> type) {
        int length = read.getName().length();
        boolean isThere = (byteAt(described) << 8 | byteAt(described + 1)) == length;
        holds = holds && isThere && byteAt(pos) == ObjectStreamConstants.TC_ENDBLOCKDATA;
        seen.add(new Seen(read, type, byteAt(described + 2 + length + Long.BYTES), byteAt(pos + 1)));
    }

    private int byteAt(int index) {
        return index < count ? buf[index] & 0xff : -1;
    }

    void sawSomethingElse() {
        holds = false;
    }

    /** One of the objects that were read. */
    void made(Object object) {
        hashes |= Fickle.isHashed(object);
    }

    /** Of all that was seen: each object of it may be written in a way of its own. Not before it was read, as {@link #holds}. */
    boolean isFickle() {
        List<Class<?>> types = new ArrayList<>(seen.size());
        seen.forEach(one -> types.add(one.type));
        return Fickle.are(types, hashes);
    }

    /** Of all that was seen. Not before it was read: to look at a class initializes it, and the filter may refuse it. */
    boolean holds() {
        // One that this JVM does not have may be left out where it is only a superclass.
        holds = holds && seen.size() == descriptions;
        for (int i = 0; holds && i < seen.size(); i++) {
            Seen one = seen.get(i);
            Local local = LOCALS.get(one.type);
            holds = local.isWrittenAs(one) && isAbove(local.above, i);
        }
        return holds;
    }

    /** Whether the superclass that the bytes give the class seen there is {@code above}. */
    private boolean isAbove(@Nullable Class<?> above, int at) {
        switch (seen.get(at).above) {
            case ObjectStreamConstants.TC_NULL:
                return above == null;
            case ObjectStreamConstants.TC_CLASSDESC:
                return at + 1 < seen.size() && seen.get(at + 1).type == above;
            case ObjectStreamConstants.TC_REFERENCE:
                // The JDK's own extend what they always did.
                boolean isKnown = seen.get(at).type.getClassLoader() == null;
                return above != null && (isKnown || above == onlyOneThatOthersMayExtend(at));
            default:
                return false;
        }
    }

    /** A reference does not say to which description. Of the classes before this; null: there is none, or several. */
    private @Nullable Class<?> onlyOneThatOthersMayExtend(int at) {
        Class<?> only = null;
        for (Seen before : seen.subList(0, at)) {
            if (!Modifier.isFinal(before.type.getModifiers())) {
                if (only != null) {
                    return null;
                }
                only = before.type;
            }
        }
        return only;
    }

    static boolean areSame(ObjectStreamField[] some, ObjectStreamField[] others) {
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

    private static boolean isSerializable(@Nullable Class<?> type) {
        return type != null && Serializable.class.isAssignableFrom(type);
    }

    private static boolean isPlain(Class<?> type) {
        if (KNOWN.contains(type) || type.isArray()) {
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
    static boolean hasCode(Class<?> type) {
        return has(type, "writeObject", ObjectOutputStream.class)
                || has(type, "readObject", ObjectInputStream.class)
                || has(type, "readObjectNoData")
                || Arrays.stream(type.getDeclaredFields())
                        .anyMatch(field -> field.getName().equals("serialPersistentFields"))
                || isReplaced(type);
    }

    private static boolean isReplaced(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (has(each, "writeReplace") || has(each, "readResolve") || isRecord(each)) {
                return true;
            }
        }
        return false;
    }

    static boolean isRecord(Class<?> type) {
        Class<?> above = type.getSuperclass();
        return above != null && above.getName().equals("java.lang.Record");
    }

    private static boolean has(Class<?> type, String method, Class<?>... parameters) {
        try {
            return type.getDeclaredMethod(method, parameters) != null;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}
