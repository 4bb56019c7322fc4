package dev.sojourn.agent.core;

/** Thrown where there is no memory for a word about it. */
public final class Wordless extends InternalError {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
        throw new InternalError("as if there were no memory");
    }
}
