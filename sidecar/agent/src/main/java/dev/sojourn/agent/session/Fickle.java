package dev.sojourn.agent.session;

import java.io.Externalizable;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What makes two objects of the same bytes be written differently, though nobody changes either: hash collections write their elements in the order of the hash
 * codes, and where a class has none of its own that is each object's own. So it is where its own asks {@code Object}'s, and where those of many elements are the
 * same. And what the application's code makes of bytes may be anything.
 */
enum Fickle {
    /** Written in the order of hash codes. */
    HASHES,
    /** Its hash code is the object's own, or may be. */
    HASHED_BY_IDENTITY,
    /** The application's, with code for its serial form, or a map that always is in the order of identities. */
    HAS_CODE,
    NOT;

    private static final Set<String> HASHING = new HashSet<>(Arrays.asList(
            Hashtable.class.getName(),
            ConcurrentHashMap.class.getName(),
            // What Set.of and Map.of are written as.
            "java.util.CollSer"));

    private static final ClassValue<Fickle> KINDS = new ClassValue<Fickle>() {
        @Override
        protected Fickle computeValue(Class<?> type) {
            return kind(type);
        }
    };

    /**
     * {@code hashes}: some object {@link #isHashed}. What is read names {@link HashMap} and {@link HashSet} also where those that keep an order of their own
     * extend them.
     */
    static boolean are(Iterable<Class<?>> types, boolean hashes) {
        boolean byIdentity = false;
        for (Class<?> type : types) {
            Fickle kind = KINDS.get(type);
            if (kind == HAS_CODE) {
                return true;
            }
            hashes |= kind == HASHES;
            byIdentity |= kind == HASHED_BY_IDENTITY;
        }
        return hashes && byIdentity;
    }

    /** Whether objects tell whether they are {@link #isHashed}, and not their classes alone. */
    static boolean isToldByObjects(Class<?> type) {
        return type == HashMap.class || type == HashSet.class;
    }

    /** Written in the order of hash codes, as their classes' descriptions do not tell. */
    static boolean isHashed(Object object) {
        return object instanceof HashMap && !(object instanceof LinkedHashMap)
                || object instanceof HashSet && !(object instanceof LinkedHashSet);
    }

    private static Fickle kind(Class<?> type) {
        try {
            if (HASHING.contains(type.getName())) {
                return HASHES;
            }
            if (type == IdentityHashMap.class || isApplications(type) && hasCode(type)) {
                return HAS_CODE;
            }
            return isHashedByIdentity(type) ? HASHED_BY_IDENTITY : NOT;
        } catch (LinkageError | RuntimeException e) {
            // One of its methods names a class that is not there.
            return HAS_CODE;
        }
    }

    private static boolean isApplications(Class<?> type) {
        return type.getClassLoader() != null && !type.isArray() && Serializable.class.isAssignableFrom(type);
    }

    /** A record's is its constructor, which nearly all leave as it is. */
    private static boolean hasCode(Class<?> type) {
        return !Verbatim.isRecord(type) && (Externalizable.class.isAssignableFrom(type) || Verbatim.hasCode(type));
    }

    private static boolean isHashedByIdentity(Class<?> type) {
        if (type.isArray()) {
            return true;
        }
        if (type.isInterface() || type.isPrimitive() || Modifier.isAbstract(type.getModifiers())) {
            return false;
        }
        if (isApplications(type)) {
            return !Verbatim.isRecord(type) && !Enum.class.isAssignableFrom(type);
        }
        try {
            return type.getMethod("hashCode").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}
