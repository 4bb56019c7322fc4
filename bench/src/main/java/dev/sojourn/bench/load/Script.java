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

    /** Slow downloads, each of which changes the session once more when it ends. */
    static Script download(int size, int change) {
        return new Script() {
            @Override
            public String target(long stamp) {
                return "/app/download?size=" + size + "&change=" + change + "&stamp=" + stamp;
            }

            @Override
            public Verdict check(Expectation expectation, long stamp, String body, long length) {
                int line = body.indexOf('\n');
                if (line < 0 || length != line + 1 + 10 * 1024) {
                    expectation.failed();
                    return Verdict.FAILED;
                }
                Verdict verdict = expectation.check(stamp, body.substring(0, line));
                expectation.counted();
                return verdict;
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
