package dev.sojourn.agent.session;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.Arrays;
import java.util.Currency;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/** Classes whose instances cannot change in place: reading one is no reason to compare it later. */
final class Immutables {
    private static final Set<Class<?>> KNOWN = new HashSet<>(Arrays.asList(
            String.class,
            Boolean.class,
            Character.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            UUID.class,
            URI.class,
            Locale.class,
            Currency.class,
            Class.class,
            BigInteger.class,
            BigDecimal.class));

    /** Found out once per class; goes with the class when its application is undeployed. */
    private static final ClassValue<Boolean> RECORDS = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isFixedRecord(type);
        }
    };

    private Immutables() {}

    /** Of the same bytes, without writing them: what one sets again and again is not serialized again and again. */
    static boolean areEqual(Object one, Object other) {
        if (one == other) {
            return contains(one);
        }
        Class<?> type = one.getClass();
        // To a URI, a host's upper and lower case are equal.
        return type == other.getClass() && KNOWN.contains(type) && type != URI.class && one.equals(other);
    }

    static boolean contains(Object value) {
        Class<?> type = value.getClass();
        // An enum is written as its name, whatever it holds. java.time has value classes only.
        return KNOWN.contains(type)
                || value instanceof Enum
                || type.getName().startsWith("java.time.")
                || RECORDS.get(type);
    }

    /**
     * A record's components never change, but what they refer to may: only records of immutable types, and only where the
     * declared type says so, since a subclass could be mutable.
     */
    private static boolean isFixedRecord(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        if (parent == null || !parent.getName().equals("java.lang.Record")) {
            return false;
        }
        for (Field field : type.getDeclaredFields()) {
            Class<?> of = field.getType();
            boolean fixed = of.isPrimitive()
                    || of.isEnum()
                    || Modifier.isFinal(of.getModifiers())
                            && (KNOWN.contains(of) || of.getName().startsWith("java.time."));
            if (!fixed && !Modifier.isStatic(field.getModifiers())) {
                return false;
            }
        }
        return true;
    }
}
