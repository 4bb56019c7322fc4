package dev.sojourn.operator.store;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a server answers to {@code INFO}: names and values. */
record Info(Map<String, String> fields) {

    /** {@code name:value}, one a line. */
    static Info parse(String text) {
        return of(text.lines(), ":");
    }

    static Info of(Stream<String> pairs, String separator) {
        return new Info(pairs.map(pair -> pair.split(separator, 2))
                .filter(pair -> pair.length == 2)
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1].trim(), (first, second) -> first)));
    }

    /** Nothing where it does not say. */
    String text(String name) {
        return fields.getOrDefault(name, "");
    }

    /** 0 where it does not say. */
    long number(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
