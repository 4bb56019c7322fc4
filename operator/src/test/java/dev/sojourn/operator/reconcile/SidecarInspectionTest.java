package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.sidecar.SidecarHealth;
import dev.sojourn.operator.sidecar.SidecarHealth.State;
import dev.sojourn.operator.sidecar.SidecarLook;
import dev.sojourn.operator.status.Finding.Status;
import dev.sojourn.operator.store.StoreProbe;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Of a store that is well as far as the operator sees. */
class SidecarInspectionTest {

    private static final SidecarHealth UP = new SidecarHealth(State.Up, 0, null, null, null, 0);

    private final Seen seen = new Seen();

    @Test
    void aStoreThatSidecarsDoNotReachIsNotReady() {
        seen.sidecars =
                new SidecarLook(3, Map.of("web-1", UP, "web-3", down(10, "timeout"), "web-2", down(70, "timeout")));
        var store = seen.inspection().store();
        assertThat(store.holds()).isFalse();
        assertThat(store.reason()).isEqualTo("StoreNotReached");
        assertThat(store.message())
                .contains("sidecars of web-2, web-3 (2 of 3 asked)", "network policy", "sojourn.dev/owned-by=web");
    }

    @Test
    void aPrimaryThatIsReplacedIsNoWorthAWord() {
        seen.sidecars = new SidecarLook(1, Map.of("web-1", down(9, "dropped")));
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreRuns");
    }

    @Test
    void whatTheStoreRefusesIsSaidWithTheMendOfTheSidecar() {
        var full = new SidecarHealth(State.Refusing, 0, "out of memory", "OOM", "raise the store's maxmemory", 0);
        seen.sidecars = new SidecarLook(2, Map.of("web-1", UP, "web-2", full));
        var store = seen.inspection().store();
        assertThat(store.reason()).isEqualTo("StoreRefuses");
        assertThat(store.message()).contains("web-2 (1 of 2 asked)", "OOM; raise the store's maxmemory");
    }

    @Test
    void ofAStoreBroughtAlongTheMendNamesTheSpec() {
        seen.cluster = Serialization.unmarshal("""
                apiVersion: sojourn.dev/v1alpha1
                kind: SessionCluster
                metadata: {name: web, namespace: shop}
                spec: {workload: {name: web}, port: 8080, store: {external: {url: 'rediss://store:6379'}}}
                """, SessionCluster.class);
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreAnswers, "answers", 0));
        seen.sidecars = new SidecarLook(1, Map.of("web-1", down(60, "tls")));
        assertThat(seen.inspection().store().message()).contains("spec.store.external.caSecret", "CA:FALSE");
        seen.sidecars = new SidecarLook(1, Map.of("web-1", down(60, "auth")));
        assertThat(seen.inspection().store().message()).contains("spec.store.external.credentialsSecret");
    }

    @Test
    void aStoreThatIsAwayForTheOperatorTooIsSaidToBe() {
        seen.store = Optional.of(new StatefulSetBuilder().build());
        seen.sidecars = new SidecarLook(1, Map.of("web-1", down(60, "refused")));
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreStarting");
    }

    @Test
    void settingsGoOnToBeRolledOut() {
        seen.sidecars = new SidecarLook(1, Map.of("web-1", down(60, "timeout")));
        seen.workload = Optional.of(Seen.workload("{spec: {containers: [{name: app}]}}"));
        assertThat(seen.inspection().mayInject()).isTrue();
    }

    @Test
    void whatNobodyKnowsIsNotClaimed() {
        seen.sidecars = new SidecarLook(2, Map.of());
        var store = seen.inspection().store();
        assertThat(store.holds()).isTrue();
        assertThat(store.message()).contains("not known", "15900");
        seen.sidecars = new SidecarLook(2, Map.of("web-1", UP));
        assertThat(seen.inspection().store().message()).doesNotContain("not known");
    }

    /** A new store in a spec that is refused is not made, and pods go on with the one of before: nobody else would say that it is away. */
    @Test
    void theStoreThatPodsHaveIsMissedWhileTheNextOneIsNotMade() {
        seen.cluster.setSpec(
                Seen.spec("{workload: {name: web}, port: 8080, store: {external: {url: 'redis://theirs:6379'}}}"));
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080, store: {managed: {}}}"));
        seen.rival = Optional.of("older");
        seen.store = Optional.empty();
        seen.sidecars = new SidecarLook(2, Map.of("web-1", UP, "web-2", UP));
        assertThat(seen.inspection().store().reason()).isEqualTo("Waiting");
        seen.sidecars = new SidecarLook(2, Map.of());
        var unknown = seen.inspection().store();
        assertThat(unknown.status()).isEqualTo(Status.Unknown);
        assertThat(unknown.reason()).isEqualTo("Waiting");
        assertThat(unknown.message()).contains("whether the sidecars reach the store that they have is not known");
        seen.sidecars = new SidecarLook(2, Map.of("web-1", UP, "web-2", down(60, "refused")));
        var store = seen.inspection().store();
        assertThat(store.status()).isEqualTo(Status.False);
        assertThat(store.reason()).isEqualTo("StoreNotReached");
        assertThat(store.message())
                .contains("web-2 (1 of 2 asked) do not reach the store that they have", "check SOJOURN_STORE_URL")
                .doesNotContain("answers the operator", "sojourn.dev/owned-by");
    }

    /** All is ready there, and all sessions end with their pod. */
    @Test
    void anApplicationThatNeverCameToItsSidecarIsMissed() {
        seen.pods = List.of(Seen.pod("web-1"), Seen.pod("web-2"), Seen.pod("web-3"));
        seen.sidecars = new SidecarLook(3, Map.of("web-1", UP, "web-2", without(180), "web-3", without(179)));
        var injection = seen.inspection().injection();
        assertThat(injection.status()).isEqualTo(Status.False);
        assertThat(injection.reason()).isEqualTo("AgentNotLoaded");
        assertThat(injection.message())
                .contains("the sidecar of web-2: ", "JAVA_TOOL_OPTIONS", "the label sojourn.dev/cluster");
        assertThat(seen.inspection().store().holds()).isTrue();
    }

    @Test
    void anApplicationThatIsOnlyStartingIsNotMissed() {
        seen.sidecars = new SidecarLook(1, Map.of("web-1", without(600), "gone", without(600)));
        seen.pods = List.of(Seen.pod("web-1", true, null, false, null), Seen.pod("web-2"));
        assertThat(seen.inspection().injection().reason()).isEqualTo("RollingOut");
    }

    private static SidecarHealth without(long seconds) {
        return new SidecarHealth(State.Up, 0, null, null, null, seconds);
    }

    private static SidecarHealth down(long seconds, String kind) {
        return new SidecarHealth(State.Down, seconds, kind, "no answer", "check SOJOURN_STORE_URL", 0);
    }
}
