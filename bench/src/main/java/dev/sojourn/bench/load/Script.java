package dev.sojourn.bench.load;

/** What each user asks for, again and again, and what the answers must be. */
public interface Script {
    String target(long stamp);

    Verdict check(Expectation expectation, long stamp, String body, long length);

    /** Clicks in a session of that size, each changing so many bytes. */
    static Script session(int size, int change) {
        return new Script() {
            @Override
            public String target(long stamp) {
                return "/app/state?size=" + size + "&change=" + change + "&stamp=" + stamp;
            }

            @Override
            public Verdict check(Expectation expectation, long stamp, String body, long length) {
                return expectation.check(stamp, body);
            }
        };
    }

    /** The same without a session, of a known length. */
    static Script plain(String path, long expected) {
        return new Script() {
            @Override
            public String target(long stamp) {
                return path;
            }

            @Override
            public Verdict check(Expectation expectation, long stamp, String body, long length) {
                return length == expected ? Verdict.RIGHT : Verdict.CORRUPT;
            }
        };
    }
}
