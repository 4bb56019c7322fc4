package dev.sojourn.operator.inject;

import java.util.regex.Pattern;

/** Text that others chose, for logs and events: a line break in it would begin a line that the operator never wrote. */
final class OneLine {

    /** As long as the text of an event may be. */
    private static final int MOST = 1024;

    /** Also what a terminal obeys, and what turns around the order in which the rest is read. */
    private static final Pattern UNSEEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private OneLine() {}

    static String of(String text) {
        var shown = text.length() <= MOST ? text : text.substring(0, MOST - 3) + "...";
        return UNSEEN.matcher(shown).replaceAll("?");
    }

    /** With the stack, and without its causes. */
    static Throwable of(Throwable error) {
        var shown = new IllegalStateException(of(error.toString()));
        shown.setStackTrace(error.getStackTrace());
        return shown;
    }
}
