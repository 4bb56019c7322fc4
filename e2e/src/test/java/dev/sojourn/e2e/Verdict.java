package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.e2e.load.Tally;

/** What a scenario's load has to say, printed and held against the promise. */
final class Verdict {
    private Verdict() {}

    /** Nobody was logged out, nothing confirmed was lost, nobody saw another's session; requests may have failed. */
    static void sessionsAreRight(String what, Tally tally) {
        System.out.printf("%s: %s%n", what, tally);
        assertThat(tally.lost()).as("sessions lost: " + tally.firstProblem()).isZero();
        assertThat(tally.stale()).as("stale reads: " + tally.firstProblem()).isZero();
        assertThat(tally.corrupt()).as("corrupt: " + tally.firstProblem()).isZero();
    }

    /** Nobody noticed anything: not one request failed either. */
    static void nobodyNoticed(String what, Tally tally) {
        sessionsAreRight(what, tally);
        assertThat(tally.failures())
                .as("failed requests: " + tally.firstProblem())
                .isZero();
    }
}
