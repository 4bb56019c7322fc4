package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.status.Finding.Status;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.status.Transitions;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OtherWorkloadsTest {

    private final Seen seen = new Seen();

    OtherWorkloadsTest() {
        seen.others = List.of(Seen.ANOTHER);
        seen.pods = List.of(Seen.pod("web-1"), Seen.pod("web-2"), Seen.podOfAnother("web-of-before-1"));
    }

    /** One that was named by mistake is sent users of another application, and keeps the label until somebody takes it out. */
    @Test
    void whatElseHasTheLabelIsNamedWithTheCommandThatTakesItOut() {
        var injection = seen.inspection().injection();
        assertThat(injection.status()).isEqualTo(Status.True);
        assertThat(injection.reason()).isEqualTo("OtherWorkloads");
        assertThat(injection.message())
                .startsWith("2 of 2 pods run with the sidecar and are ready; with label sojourn.dev/cluster=web")
                .endsWith(" kubectl patch deployment/web-of-before --type=merge -p '{\"spec\":{\"template\":"
                        + "{\"metadata\":{\"labels\":{\"sojourn.dev/cluster\":null},"
                        + "\"annotations\":{\"sojourn.dev/config\":null}}}}}'");
    }

    @Test
    void itIsAnEventOnceAndNoWarning() {
        var alone = new Seen();
        var before = new StatusAggregator(alone.cluster, Instant.EPOCH)
                .build(alone.inspection().findings(), Optional.empty());
        var after = new StatusAggregator(seen.cluster, Instant.EPOCH)
                .build(seen.inspection().findings(), Optional.empty());
        assertThat(Transitions.between(before, after))
                .singleElement()
                .returns("OtherWorkloads", Condition::getReason)
                .returns(false, Transitions::isWarning);
        assertThat(Transitions.between(after, after)).isEmpty();
    }

    @Test
    void whileTheOneThatIsNamedIsRolledThatIsTheReason() {
        seen.pods = List.of(Seen.podOfBefore("web-1"), Seen.podOfAnother("web-of-before-1"));
        var injection = seen.inspection().injection();
        assertThat(injection.reason()).isEqualTo("RollingOut");
        assertThat(injection.message()).contains("kubectl patch deployment/web-of-before");
    }

    /** The operator rolls the one that is named alone. */
    @Test
    void podsOfItThatHaveTheSettingsOfBeforeAreNamed() {
        var settings = InjectionSettings.plain("shop.before", "redis://before:6379", null, null)
                .hash();
        var late = new InjectedPod("canary-0", "uid", "10.0.0.1", canary(0), settings, null, true, null);
        seen.others = List.of(Seen.ANOTHER, canary(0));
        seen.pods = List.of(Seen.pod("web-1"), Seen.pod("web-2"), Seen.podOfAnother("web-of-before-1"), late);
        assertThat(seen.inspection().injection().message())
                .endsWith("; pods of before this spec: canary-0: kubectl rollout restart statefulset/canary0");
    }

    @Test
    void ofManyTheCommandIsWhole() {
        seen.others = IntStream.range(0, 9).mapToObj(OtherWorkloadsTest::canary).toList();
        assertThat(seen.inspection().injection().message())
                .contains(
                        "canary2 and 6 more",
                        "kubectl patch statefulset/canary0 statefulset/canary1 statefulset/canary2 --");
    }

    /** A condition is cut where it is too long, and with it a command. */
    @Test
    void withLongNamesTheCommandsAreWholeToo() {
        seen.others = IntStream.range(0, 5)
                .mapToObj(number -> canary(number, "team-checkout-storefront-production-blue-"))
                .toList();
        var settings = InjectionSettings.plain("shop.before", "redis://before:6379", null, null)
                .hash();
        seen.pods = Stream.concat(
                        Stream.of(Seen.pod("web-1"), Seen.pod("web-2")),
                        seen.others.stream()
                                .map(other -> new InjectedPod(
                                        other.name() + "-5d8f9c7b6d-x2x4z",
                                        "uid of " + other,
                                        "10.0.0.1",
                                        other,
                                        settings,
                                        null,
                                        true,
                                        null)))
                .toList();
        assertThat(condition())
                .contains(": 5 workloads; to take it out", "\"annotations\":{\"sojourn.dev/config\":null}}}}}'; ")
                .endsWith("canary2");
        seen.others =
                seen.others.stream().map(other -> canary(7, "x".repeat(200))).toList();
        assertThat(condition()).endsWith("\"annotations\":{\"sojourn.dev/config\":null}}}}}'");
    }

    private String condition() {
        return new StatusAggregator(seen.cluster, Instant.EPOCH)
                .build(seen.inspection().findings(), Optional.empty()).conditions().stream()
                        .filter(condition -> condition.getType().equals("InjectionReady"))
                        .map(Condition::getMessage)
                        .findFirst()
                        .orElseThrow();
    }

    private static WorkloadRef canary(int number, String prefix) {
        return new WorkloadRef(WorkloadRef.Kind.StatefulSet, prefix + "canary" + number);
    }

    private static WorkloadRef canary(int number) {
        return new WorkloadRef(WorkloadRef.Kind.StatefulSet, "canary" + number);
    }
}
