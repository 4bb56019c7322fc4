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
        Answer answer = Answer.of(body);
        Verdict verdict = judge(answer, 1);
        counter = answer.after();
        stamp = sent;
        unsure = false;
        return verdict;
    }

    /** The same of a request that only reads; the first one of a session begins it, and counts. */
    public Verdict checkRead(long sent, String body) {
        Answer answer = Answer.of(body);
        if (answer.before() == 0) {
            return check(sent, body);
        }
        Verdict verdict = judge(answer, 0);
        counter = answer.after();
        stamp = answer.stamp();
        unsure = false;
        return verdict;
    }

    /** What the session had when it ended. */
    Verdict checkEnd(String body) {
        return judge(Answer.of(body), 0);
    }

    private record Answer(long before, long after, long stamp, boolean whole) {
        static Answer of(String body) {
            String[] fields = body.split(" ", -1);
            if (fields.length != 4) {
                throw new IllegalArgumentException("not an answer of the application: " + body);
            }
            return new Answer(
                    Long.parseLong(fields[0]),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    fields[3].equals("whole"));
        }
    }

    private Verdict judge(Answer answer, long counts) {
        long before = answer.before();
        if (!answer.whole() || answer.after() != before + counts) {
            return Verdict.CORRUPT;
        }
        if (before == 0) {
            return counter == 0 ? Verdict.RIGHT : Verdict.LOST;
        }
        if (answer.stamp() >> REQUEST_BITS != user + 1) {
            return Verdict.CORRUPT;
        }
        boolean counted = before == counter && answer.stamp() == stamp;
        // A copy that misses the last change may even have counted further, if it went on apart from the others.
        return counted || unsure && answer.stamp() >= stamp ? Verdict.RIGHT : Verdict.STALE;
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
