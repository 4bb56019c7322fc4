package dev.sojourn.agent.core;

import java.util.regex.Pattern;

/** Patterns as settings have them: {@code *} is any text, everything else is itself. */
public final class Wildcard {
    private Wildcard() {}

    public static Pattern compiled(String pattern) {
        StringBuilder regex = new StringBuilder();
        for (String literal : pattern.split("\\*", -1)) {
            // Each by itself: a quotation ends where the text says so.
            regex.append(regex.length() == 0 ? "" : ".*").append(Pattern.quote(literal));
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
