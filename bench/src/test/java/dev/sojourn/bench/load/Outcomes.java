package dev.sojourn.bench.load;

/** For tests of what is made of outcomes. */
public final class Outcomes {
    private Outcomes() {}

    /** Of one request for each verdict. */
    public static Outcome of(Verdict... verdicts) {
        Outcome outcome = new Outcome();
        for (Verdict verdict : verdicts) {
            outcome.add(verdict, 1);
        }
        return outcome;
    }
}
