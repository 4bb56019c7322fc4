package dev.sojourn.bench.load;

/** What one user knows of the session from the answers so far, and so what the next answer must be. */
public final class Expectation {
    private static final int REQUEST_BITS = 40;

    private final int user;
    private long counter;
    private long stamp;
    private boolean unsure;

    Expectation(int user) {
        this.user = user;
    }

    /** What a request leaves in the session: tells afterwards whose and which one it was. */
    static long stamp(int user, long request) {
        return ((long) user + 1) << REQUEST_BITS | request;
    }

    /**
     * @param sent the stamp of the request
     * @param body {@code counter-before counter-after stamp-before whole|torn}
     */
    public Verdict check(long sent, String body) {
        String[] fields = body.split(" ", -1);
        if (fields.length != 4) {
            throw new IllegalArgumentException("not an answer of the application: " + body);
        }
        long before = Long.parseLong(fields[0]);
        long after = Long.parseLong(fields[1]);
        Verdict verdict = judge(before, after, Long.parseLong(fields[2]), fields[3].equals("whole"));
        counter = after;
        stamp = sent;
        unsure = false;
        return verdict;
    }

    private Verdict judge(long before, long after, long stampBefore, boolean whole) {
        if (!whole || after != before + 1) {
            return Verdict.CORRUPT;
        }
        if (before == 0) {
            return counter == 0 ? Verdict.RIGHT : Verdict.LOST;
        }
        if (stampBefore >> REQUEST_BITS != user + 1) {
            return Verdict.CORRUPT;
        }
        boolean counted = before == counter && stampBefore == stamp;
        // A copy that misses the last change may even have counted further, if it went on apart from the others.
        return counted || unsure && stampBefore >= stamp ? Verdict.RIGHT : Verdict.STALE;
    }

    /** The last request went on after its answer began, and counted once more. */
    void counted() {
        counter++;
    }

    /** A request without an answer may have been counted or not. */
    void failed() {
        unsure = true;
    }
}
