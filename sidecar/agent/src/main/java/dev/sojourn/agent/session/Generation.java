package dev.sojourn.agent.session;

/** Which session this is of those that an id has had in one application, one after another, and when the others were last told of it. */
public final class Generation {
    /** Nobody needs to be told of it: it is where all look first. */
    public static final Generation FIRST = new Generation(0);

    /** What tells the others is kept for longer than the session and the tombstone of the one before, ten minutes. */
    private static final int MORE = 1_200;

    private static final int NEVER = -1;

    public final long number;
    /** When, milliseconds since the epoch; 0: not by this JVM. */
    private volatile long toldAt;
    /** Seconds that it is kept for, unless it is told once more. */
    private volatile int keptFor;

    Generation(long number) {
        this.number = number;
    }

    /** Of a session that this JVM has not begun. */
    public static Generation of(long number) {
        return number == 0 ? FIRST : new Generation(number);
    }

    /** How long what tells of a session is kept that ends unused after so many seconds. */
    static int keptFor(int idle) {
        return idle < 0 ? NEVER : (int) Math.min(Integer.MAX_VALUE, 2L * idle + MORE);
    }

    void told(int seconds, long now) {
        keptFor = seconds;
        toldAt = now;
    }

    /** Whether it needs to be told once more for a session that may be idle for so many seconds. */
    boolean isDue(int idle, long now) {
        if (number == 0) {
            return false;
        }
        boolean isLonger = isShorter(keptFor, keptFor(idle));
        return toldAt == 0 || isLonger || keptFor > 0 && now - toldAt > keptFor * 1_000L / 8;
    }

    /** Of two times, of which {@code NEVER} is the longest. */
    static boolean isShorter(int seconds, int than) {
        return seconds >= 0 && (than < 0 || seconds < than);
    }
}
