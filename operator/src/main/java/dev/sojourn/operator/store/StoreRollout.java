package dev.sojourn.operator.store;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which pod of the store is replaced next, until all are what their StatefulSet's template says. Pure.
 *
 * <p>A StatefulSet whose pods start together, and that rolls by itself, waits only for those above the one that it takes: one below that is
 * just away may have been the only other that has what this one has.
 *
 * @param pods of the set, those on their way out too
 * @param primaries the names of those that serve, as far as is known
 * @param now when they were looked at
 */
public record StoreRollout(StatefulSet set, List<RunningPod> pods, Set<String> primaries, Instant now) {

    /** A pod that was just made copies from the others: how long it may take before one of those goes that are not ready either. */
    static final Duration UNTIL_READY = Duration.ofMinutes(1);

    /** Nothing is only on its way any more after that. */
    static final Duration LATE = Duration.ofMinutes(5);

    private static final String REVISION_LABEL = "controller-revision-hash";

    public StoreRollout {
        pods = List.copyOf(pods);
        primaries = Set.copyOf(primaries);
    }

    /**
     * A pod of the store.
     *
     * @param revision of the template that it was made by
     * @param endsBy if it is on its way out: until when it may take
     */
    public record RunningPod(
            String name,
            String uid,
            String revision,
            boolean ready,
            Instant made,
            @Nullable Instant endsBy) {

        public static RunningPod of(Pod pod) {
            var meta = pod.getMetadata();
            return new RunningPod(
                    meta.getName(),
                    meta.getUid(),
                    Objects.requireNonNullElse(meta.getLabels(), Map.<String, String>of())
                            .getOrDefault(REVISION_LABEL, ""),
                    Readiness.isPodReady(pod) && meta.getDeletionTimestamp() == null,
                    Instant.parse(meta.getCreationTimestamp()),
                    meta.getDeletionTimestamp() == null ? null : Instant.parse(meta.getDeletionTimestamp()));
        }

        private int ordinal() {
            return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
        }
    }

    /** Whether pods have to be looked at: some are those of before, or the StatefulSet's controller has not seen the template yet. */
    public static boolean isUnderWay(StatefulSet set) {
        return !isSeen(set) || updated(set) < set.getSpec().getReplicas();
    }

    private static boolean isSeen(StatefulSet set) {
        return set.getStatus() != null
                && set.getStatus().getUpdateRevision() != null
                && Objects.equals(
                        set.getStatus().getObservedGeneration(),
                        set.getMetadata().getGeneration());
    }

    /** None at all is left out of the status. */
    private static int updated(StatefulSet set) {
        return Objects.requireNonNullElse(set.getStatus().getUpdatedReplicas(), 0);
    }

    /**
     * One that is not ready first, whatever the others are: it may be the new template that it waits for. One that is ready only while all are, and a
     * primary last: one hand-over is enough.
     *
     * @param busy slots or replicas are on their way: what goes by this look may be what they go to
     */
    public Optional<RunningPod> next(boolean busy) {
        if (!isSeen(set) || pods.size() != set.getSpec().getReplicas()) {
            return Optional.empty();
        }
        if (pods.stream().allMatch(RunningPod::ready)) {
            return pods.stream()
                    .filter(pod -> isOutdated(pod) && !busy)
                    .min(Comparator.comparing((RunningPod pod) -> primaries.contains(pod.name()))
                            .thenComparing(
                                    Comparator.comparing(RunningPod::ordinal).reversed()));
        }
        return pods.stream().anyMatch(this::isBeingReplaced)
                ? Optional.empty()
                : pods.stream()
                        .filter(pod -> isOutdated(pod) && !pod.ready() && pod.endsBy() == null)
                        .max(Comparator.comparing(RunningPod::ordinal));
    }

    /** Those that have to be replaced yet. */
    public List<String> outdated() {
        return pods.stream().filter(this::isOutdated).map(RunningPod::name).toList();
    }

    /** Those that the next replacement waits for. */
    public List<String> awaited() {
        return pods.stream().filter(pod -> !pod.ready()).map(RunningPod::name).toList();
    }

    /** Those of them that are not coming any more without help. */
    public List<String> late() {
        return pods.stream()
                .filter(pod -> !pod.ready() && age(pod, pod.made()).compareTo(LATE) >= 0)
                .map(RunningPod::name)
                .toList();
    }

    private boolean isOutdated(RunningPod pod) {
        return !pod.revision().equals(set.getStatus().getUpdateRevision());
    }

    /** On its way out, or made a moment ago. Not for ever: a node may be lost, and the new template be wrong. */
    private boolean isBeingReplaced(RunningPod pod) {
        var came = isOutdated(pod) || pod.ready() ? Instant.MIN : pod.made();
        return age(pod, came).compareTo(UNTIL_READY) < 0;
    }

    /** Since its end was due, if it is on its way out. */
    private Duration age(RunningPod pod, Instant came) {
        return Duration.between(pod.endsBy() != null ? pod.endsBy() : came, now);
    }
}
