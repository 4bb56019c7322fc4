package dev.sojourn.bench.load;

/** What each user asks for, again and again, and what the answers must be. */
public interface Script {
    String target(long stamp);

    Verdict check(Expectation expectation, long stamp, String body, long length);

    /** The next request goes as soon as the first line of an answer is there, whatever follows. */
    default boolean early() {
        return false;
    }

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

    /** One click in so many, for reading alone finds nothing stale; a prime number, lest the same node of eight has all of them. */
    int READS = 61;

    /** Looks into a session of that size, and now and then a click that changes so many bytes. */
    static Script reading(int size, int change) {
        return new Script() {
            @Override
            public String target(long stamp) {
                return session(size, change).target(stamp) + (clicks(stamp) ? "" : "&read=1");
            }

            @Override
            public Verdict check(Expectation expectation, long stamp, String body, long length) {
                return clicks(stamp) ? expectation.check(stamp, body) : expectation.checkRead(stamp, body);
            }

            private boolean clicks(long stamp) {
                return stamp % READS == 0;
            }
        };
    }

    /** Clicks that are answered in turn with a length, in chunks, as a stream, and by a redirect; each goes as soon as the one before shows its first line. */
    static Script mixed(int size, int change) {
        String[] answers = {"length", "chunks", "stream", "redirect"};
        return new Script() {
            @Override
            public String target(long stamp) {
                String as = answers[(int) (stamp % answers.length)];
                return "/app/state?size=" + size + "&change=" + change + "&stamp=" + stamp + "&as=" + as;
            }

            @Override
            public Verdict check(Expectation expectation, long stamp, String body, long length) {
                return expectation.check(stamp, body.split("\n", 2)[0]);
            }

            @Override
            public boolean early() {
                return true;
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
