package dev.sojourn.operator.status;

/** One part's state: whether all is well with it, a machine's word for it, and a sentence that says what to mend. */
public record Finding(boolean holds, String reason, String message) {

    public static Finding good(String reason, String message) {
        return new Finding(true, reason, message);
    }

    public static Finding bad(String reason, String message) {
        return new Finding(false, reason, message);
    }
}
