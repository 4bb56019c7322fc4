package dev.sojourn.operator.status;

/** One part's state: whether all is well with it, a machine's word for it, and a sentence that says what to mend. */
public record Finding(Status status, String reason, String message) {

    /** As conditions say it. */
    public enum Status {
        True,
        False,
        /** Nothing is wrong with the part itself: it is not there yet, for a reason that lies elsewhere and is said there. */
        Unknown
    }

    public static Finding good(String reason, String message) {
        return new Finding(Status.True, reason, message);
    }

    public static Finding bad(String reason, String message) {
        return new Finding(Status.False, reason, message);
    }

    public boolean holds() {
        return status == Status.True;
    }
}
