package dev.sojourn.operator.reconcile;

import static java.util.stream.Collectors.joining;

import dev.sojourn.operator.status.Findings;
import java.util.List;

/** Ends a reconciliation in which not everything could be done, so that it is tried again. What was seen is true all the same. */
final class Unfinished extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Findings findings;

    Unfinished(List<Failure> failures, Findings findings) {
        super(words(failures));
        this.findings = findings;
        failures.forEach(failure -> addSuppressed(failure.error()));
    }

    static String words(List<Failure> failures) {
        return failures.stream().map(Failure::words).collect(joining("; "));
    }

    Findings findings() {
        return findings;
    }
}
