package dev.sojourn.e2e.load;

/**
 * What came of a load.
 *
 * @param requests clicks sent
 * @param failures clicks that got no answer or a wrong one
 * @param lost sessions lost: the application no longer knew the user
 * @param stale clicks answered with a count lower than one already confirmed
 * @param raced the same, but by the user's own doing: a request that got no answer was still at work, and wrote what it had read before
 *     ({@code agent.concurrency}: the last wins); once for each such request
 * @param corrupt clicks answered with a count higher than possible, or with another user's name
 * @param longestMillis the longest that anybody waited for an answer
 * @param firstProblem the first wrong answer in words, else the first failure, or an empty text
 */
public record Tally(
        long requests,
        long failures,
        long lost,
        long stale,
        long raced,
        long corrupt,
        long longestMillis,
        String firstProblem) {

    /** Nothing lost, nothing stale, nothing corrupt. */
    public boolean sessionsAreRight() {
        return lost == 0 && stale == 0 && corrupt == 0;
    }
}
