package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** Whether Kubernetes gives a pod the time that its end may take. Pure. */
final class GracePeriod {

    /** What the API server writes where the pod says nothing. */
    private static final int DEFAULT = 30;

    private GracePeriod() {}

    /** @param deadline whole seconds, such as {@code 10s} */
    static Optional<String> tooShort(JsonNode pod, String deadline) {
        var grace = pod.at("/spec/terminationGracePeriodSeconds").asInt(DEFAULT);
        var drain = Integer.parseInt(deadline.substring(0, deadline.length() - 1));
        return grace > drain
                ? Optional.empty()
                : Optional.of("terminationGracePeriodSeconds is " + grace + ", and spec.drain.deadline " + deadline
                        + ": Kubernetes kills the pod, and what it still answers, before sojourn.dev lets it end; set it to"
                        + " more than the deadline and the application's own shutdown together");
    }
}
