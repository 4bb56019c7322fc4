package dev.sojourn.agent.client;

/** Why the sidecar did not do what it was asked. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    public enum Why {
        /** Nobody answers on the socket. The change may or may not have arrived; doing it again does no harm. */
        AWAY,
        /** The sidecar is there, the store is not. */
        UNAVAILABLE,
        /** The session has ended or expired; nothing was written. */
        GONE,
        /** The session would become larger than allowed; nothing was written. */
        TOO_LARGE,
        /** Another request has the session for itself, or has taken it over, or nobody can say whether it is there; nothing was written. */
        BUSY,
        /** The sidecar does not hold the value that a delta was made from; nothing was written. */
        MISSING,
        /** The request was wrong: a bug. */
        WRONG
    }

    /** As the daemon says it, of all that is {@link Why#BUSY}. */
    private static final String WITH_ANOTHER = "BUSY another request has had it";

    public final Why why;

    public Refusal(Why why, String message) {
        // Outages throw many of these, and nobody reads their stack.
        super(message, null, false, false);
        this.why = why;
    }

    /** Another request has had it for as long as this one has waited, and no pod can have it any sooner. */
    public boolean isWithAnother() {
        return why == Why.BUSY && String.valueOf(getMessage()).startsWith(WITH_ANOTHER);
    }

    /** The same request may succeed later, unchanged. */
    public boolean later() {
        return why == Why.AWAY || why == Why.UNAVAILABLE;
    }
}
