package dev.sojourn.agent.session;

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

    private Immutables() {}

    static boolean contains(Object value) {
        Class<?> type = value.getClass();
        // An enum is written as its name, whatever it holds. java.time has value classes only.
        return KNOWN.contains(type) || value instanceof Enum || type.getName().startsWith("java.time.");
    }
}
