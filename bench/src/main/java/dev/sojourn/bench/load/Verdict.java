package dev.sojourn.bench.load;

/** What an answer was worth. */
public enum Verdict {
    RIGHT,
    /** An older state of the session than the user has seen. */
    STALE,
    /** The session was not there, a new one began. */
    LOST,
    /** Bytes of the session are not as they were left, or it is another user's. */
    CORRUPT,
    /** No answer, or an error. */
    FAILED
}
