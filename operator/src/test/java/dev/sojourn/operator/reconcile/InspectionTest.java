package dev.sojourn.operator.reconcile;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.sidecar.SidecarHealth;
import dev.sojourn.operator.sidecar.SidecarHealth.State;
import dev.sojourn.operator.sidecar.SidecarLook;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.status.Finding.Status;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.store.ServerMemory;
import dev.sojourn.operator.store.StoreProbe;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InspectionTest {

    private final Seen seen = new Seen();

    @Test
    void allInjectedAndReadyIsInjected() {
        var findings = seen.inspection().findings();
        assertThat(findings.injection().reason()).isEqualTo("Injected");
        assertThat(findings.injectedPods()).isEqualTo(2);
        assertThat(findings.totalPods()).isEqualTo(2);
    }

    @Test
    void theStoreIsReachedOnceAPodWithTheseSettingsReachesIt() {
        var up = new SidecarHealth(State.Up, 0, null, null, null, 0);
        seen.sidecars = new SidecarLook(2, Map.of("web-1", up));
        seen.pods = List.of(Seen.podOfBefore("web-1"));
        assertThat(seen.inspection().findings().storeReached()).isFalse();
        seen.pods = List.of(Seen.podWith(InjectionSettings.of(seen.cluster), "web-1"));
        assertThat(seen.inspection().findings().storeReached()).isTrue();
        seen.sidecars = new SidecarLook(1, Map.of("web-1", new SidecarHealth(State.Down, 9, null, null, null, 0)));
        assertThat(seen.inspection().findings().storeReached()).isFalse();
    }

    @Test
    void podsThatStartedWithoutTheSidecarAreNamedWithTheMend() {
        seen.pods = List.of(missed("web-1"), missed("web-2"), missed("web-3"), missed("web-4"), Seen.pod("web-5"));
        var injection = seen.inspection().injection();
        assertThat(injection.reason()).isEqualTo("PodsNotInjected");
        assertThat(injection.message())
                .contains("web-1, web-2, web-3 and 1 more", "kubectl rollout restart deployment/web")
                .doesNotContain("web-5");
    }

    /** Neither is anybody evicted there, nor would a restart of the named one help. */
    @Test
    void thoseOfAnotherWorkloadAreNamedWithTheirs() {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080, injection: {watchdog: Evict}}"));
        var workload = new WorkloadRef(WorkloadRef.Kind.StatefulSet, "before");
        seen.pods = List.of(
                new InjectedPod("before-0", "uid", "10.0.0.1", workload, null, null, true, null), Seen.pod("web-1"));
        assertThat(seen.inspection().injection().message())
                .contains("before-0", "delete them, or kubectl rollout restart statefulset/before")
                .doesNotContain("evicted");
    }

    @Test
    void podsThatAreEvictedAreSaidToBe() {
        seen.cluster.setSpec(Serialization.unmarshal(
                        "---\n{spec: {workload: {name: web}, port: 8080, injection: {watchdog: Evict}}}",
                        SessionCluster.class)
                .getSpec());
        seen.pods = List.of(missed("web-1"));
        assertThat(seen.inspection().injection().message()).contains("evicted one by one");
    }

    @Test
    void whatTheWebhookSaidIsPassedOn() {
        seen.pods = List.of(Seen.pod("web-1", false, "HostNetwork: the pods use hostNetwork", true, null));
        assertThat(seen.inspection().injection().reason()).isEqualTo("InjectionRefused");
        assertThat(seen.inspection().injection().message()).contains("hostNetwork");
    }

    @Test
    void aSidecarThatDoesNotStartIsSaid() {
        var noImage = new SidecarTrouble(SidecarTrouble.Kind.SidecarNotStarting, "no image");
        var loops = new SidecarTrouble(SidecarTrouble.Kind.SidecarRestarting, "OOMKilled");
        seen.pods = List.of(
                Seen.pod("web-1"),
                Seen.pod("web-2", true, null, false, noImage),
                Seen.pod("web-3", true, null, true, loops),
                Seen.pod("web-4", true, null, false, noImage));
        assertThat(seen.inspection().injection())
                .isEqualTo(Finding.bad("SidecarNotStarting", "web-2, web-4: no image"));
        seen.pods = List.of(Seen.pod("web-1"), Seen.pod("web-3", true, null, true, loops));
        assertThat(seen.inspection().injection()).isEqualTo(Finding.bad("SidecarRestarting", "web-3: OOMKilled"));
    }

    @Test
    void podsAreNotRolledOntoAStoreThatWasNeverThere() {
        seen.store = Optional.of(new StatefulSetBuilder().build());
        seen.workload = Optional.of(Seen.workload("{spec: {containers: [{name: app}]}}"));
        assertThat(seen.inspection().mayInject()).isFalse();
        assertThat(seen.inspection().injection().reason()).isEqualTo("WaitingForStore");
    }

    @Test
    void podsAreNotToldOfAStoreThatIsOnlyBeingMade() {
        spec("{external: {url: 'redis://theirs:6379'}}");
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreAnswers, "answers", 0));
        var before = InjectionSettings.of(seen.cluster);
        seen.accepted = Optional.of(before);
        for (var store : List.of("{external: {url: 'redis://theirs:6379'}, next: {managed: true}}", "{managed: {}}")) {
            spec(store);
            var running = seen.store;
            seen.store = Optional.of(new StatefulSetBuilder().build());
            assertThat(seen.inspection().mayInject()).isFalse();
            assertThat(seen.inspection().injection().reason()).isEqualTo("WaitingForStore");
            assertThat(seen.inspection().findings().settings()).hasValue(before);
            seen.store = running;
            assertThat(seen.inspection().mayInject()).isTrue();
            assertThat(seen.inspection().findings().settings()).hasValue(InjectionSettings.of(seen.cluster));
        }
    }

    @Test
    void aRefusalKeepsWhatWasAcceptedLast() {
        var accepted = InjectionSettings.of(seen.cluster);
        seen.accepted = Optional.of(accepted);
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 9090}"));
        assertThat(seen.inspection().findings().settings()).hasValue(accepted);
        seen.workload =
                Optional.of(Seen.workload("{spec: {containers: [{name: app, ports: [{containerPort: 9090}]}]}}"));
        assertThat(seen.inspection().findings().settings())
                .hasValue(InjectionSettings.of(seen.cluster))
                .isNotEqualTo(Optional.of(accepted));
    }

    @Test
    void aStoreThatAnotherOneOfThisNameLeftIsSaidToBeThere() {
        spec("{external: {url: 'redis://theirs:6379'}}");
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreAnswers, "answers", 0));
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreAnswers");
        seen.store = Optional.of(Seen.store());
        var left = seen.inspection().store();
        assertThat(left.holds()).isTrue();
        assertThat(left.reason()).isEqualTo("StoreLeft");
        assertThat(left.message())
                .contains(
                        "StatefulSet web-store",
                        "kubectl delete",
                        " -l sojourn.dev/owned-by=web,app.kubernetes.io/component=store");
        var answers = seen.external;
        var full = new ServerMemory("theirs:6379", "volatile-lru", ServerMemory.Fullness.Drops, 7L);
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreAnswers, "", 0, List.of(full)));
        assertThat(seen.inspection().store().reason())
                .as("what costs sessions comes first")
                .isEqualTo("StoreFull");
        seen.external = answers;
        // It is about to become this one's.
        spec("{external: {url: 'redis://theirs:6379'}, previous: {managed: true}}");
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreAnswers");
    }

    @Test
    void whatThePreviousStoreDropsIsToldOfToo() {
        spec("{external: {url: 'redis://theirs:6379'}, previous: {external: {url: 'redis://old:6379'}}}");
        var answers = StoreProbe.Outcome.StoreAnswers;
        seen.external = Optional.of(new StoreProbe.Result(answers, "answers", 0));
        seen.otherExternal = seen.external;
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreAnswers");
        var full = new ServerMemory("old:6379", "volatile-lru", ServerMemory.Fullness.Drops, 7L);
        seen.otherExternal = Optional.of(new StoreProbe.Result(answers, "answers", 0, List.of(full)));
        var store = seen.inspection().store();
        assertThat(store.holds()).isTrue();
        assertThat(store.reason()).isEqualTo("StoreFull");
        assertThat(store.message()).startsWith("spec.store.previous: old:6379 dropped keys");
        var fullToo = new ServerMemory("theirs:6379", "volatile-lru", ServerMemory.Fullness.Drops, 7L);
        seen.external = Optional.of(new StoreProbe.Result(answers, "answers", 0, List.of(fullToo)));
        assertThat(seen.inspection().store().message())
                .as("that the one in use is full is worth more")
                .startsWith("theirs:6379 dropped keys");
        seen.otherExternal = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreUnreachable, "away", 0));
        assertThat(seen.inspection().store().reason())
                .as("that the other is away, more still")
                .isEqualTo("StoreUnreachable");
    }

    @Test
    void shardsAreTendedWhileASpecIsRefusedThatWantsNoOthers() {
        spec("{managed: {topology: Sharded}}");
        seen.store = Optional.of(new StatefulSetBuilder()
                .withNewMetadata()
                .withAnnotations(Map.of(
                        Names.FIXED_ANNOTATION,
                        requireNonNull(seen.cluster.getSpec().store().managed()).fixed()))
                .endMetadata()
                .withNewSpec()
                .withReplicas(6)
                .endSpec()
                .build());
        assertThat(seen.inspection().mayTendShards()).isTrue();
        seen.rival = Optional.of("older");
        assertThat(seen.inspection().mayTendShards()).isTrue();
        spec("{managed: {topology: Sharded, shards: 5}}");
        assertThat(seen.inspection().mayTendShards()).isFalse();
        seen.rival = Optional.empty();
        assertThat(seen.inspection().mayTendShards()).isTrue();
        spec("{managed: {}}");
        assertThat(seen.inspection().mayTendShards()).isFalse();
    }

    @Test
    void anOutageOfTheStoreBesideANewOneDoesNotHoldUpInjectedWorkloads() {
        spec("{external: {url: 'redis://theirs:6379'}}");
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        spec("{external: {url: 'redis://theirs:6379'}, next: {managed: true}}");
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreUnreachable, "away", 0));
        assertThat(seen.inspection().mayInject()).isTrue();
    }

    @Test
    void anOutageOfTheStoreDoesNotHoldUpInjectedWorkloads() {
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        seen.store = Optional.of(new StatefulSetBuilder().build());
        assertThat(seen.inspection().mayInject()).isTrue();
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreStarting");
    }

    /** An alert fires on what is False: it would name a store and a proxy that nobody has tried to start. */
    @Test
    void whatIsNotMadeForARefusedSpecIsNoTroubleOfItsOwn() {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080}"));
        seen.workload = Optional.empty();
        var running = seen.store;
        seen.store = Optional.empty();
        var findings = seen.inspection().findings();
        assertThat(List.of(findings.store(), findings.proxy())).allSatisfy(part -> {
            assertThat(part.status()).isEqualTo(Status.Unknown);
            assertThat(part.reason()).isEqualTo("Waiting");
            assertThat(part.message()).contains("there is no Deployment web");
        });
        assertThat(findings.injection().status()).isEqualTo(Status.False);
        assertThat(findings.injection().reason()).isEqualTo("WorkloadNotFound");
        seen.store = running;
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreRuns");
    }

    @Test
    void whatPodsUseIsMissedWhateverIsRefused() {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080}"));
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        reported();
        seen.rival = Optional.of("older");
        seen.store = Optional.empty();
        assertThat(seen.inspection().store().status()).isEqualTo(Status.False);
        assertThat(seen.inspection().proxy().status()).isEqualTo(Status.False);
        seen.accepted = Optional.of(InjectionSettings.plain("shop.web", "redis://theirs:6379", null, null));
        assertThat(seen.inspection().store().status()).isEqualTo(Status.Unknown);
    }

    /** Pods were accepted without one. What is looked at again and again must not take what it said itself for a proxy. */
    @Test
    void aProxyTurnedOnInASpecThatIsRefusedIsNotMissed() {
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        reported();
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080}"));
        seen.rival = Optional.of("older");
        for (var look = 1; look <= 2; look++) {
            assertThat(seen.inspection().proxy().status()).isEqualTo(Status.Unknown);
            assertThat(seen.inspection().proxy().reason()).isEqualTo("Waiting");
            assertThat(seen.inspection().findings().proxyEndpoint()).isNull();
            reported();
        }
        seen.rival = Optional.empty();
        assertThat(seen.inspection().findings().proxyEndpoint()).isEqualTo("web-proxy.shop.svc:80");
    }

    /** Builds before said the endpoint of a spec that they had refused, too. */
    @Test
    void anEndpointThatWasSaidOfASpecThatWasNeverAcceptedTellsOfNoProxy() {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080}"));
        reported();
        seen.accepted = Optional.empty();
        seen.rival = Optional.of("older");
        assertThat(seen.inspection().proxy().reason()).isEqualTo("Waiting");
        assertThat(seen.inspection().findings().proxyEndpoint()).isNull();
    }

    @Test
    void aGatewayApiThatIsMissingIsSaidWhateverElseIsRefused() {
        seen.cluster.setSpec(Seen.spec("""
                workload: {name: web}
                port: 8080
                proxy: {expose: {httpRoute: {parentRefs: [{name: public}]}}}
                """));
        seen.gatewayApi = false;
        seen.rival = Optional.of("older");
        assertThat(seen.inspection().proxy().status()).isEqualTo(Status.False);
        assertThat(seen.inspection().proxy().reason()).isEqualTo("GatewayApiNotInstalled");
    }

    @Test
    void whatIsMadeForAnAcceptedSpecStarts() {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080}"));
        seen.store = Optional.empty();
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreStarting");
        assertThat(seen.inspection().proxy().reason()).isEqualTo("ProxyStarting");
    }

    @Test
    void podsThatAQuotaRefusesAreSaidToBe() {
        seen.workload = Optional.of(Seen.workload("""
                metadata: {labels: {sojourn.dev/cluster: web}}
                spec: {containers: [{name: app}]}
                """, "exceeded quota: small, requested: limits.cpu"));
        assertThat(seen.inspection().injection().reason()).isEqualTo("PodsNotCreated");
        assertThat(seen.inspection().injection().message())
                .contains("exceeded quota: small", "spec.injection.resources");
    }

    /** What is found now is what the next look finds in the status. */
    private void reported() {
        var findings = seen.inspection().findings();
        seen.cluster.setStatus(new StatusAggregator(seen.cluster, Instant.EPOCH).build(findings, Optional.empty()));
    }

    private void spec(String store) {
        seen.cluster.setSpec(Serialization.unmarshal(
                        "---\n{spec: {workload: {name: web}, port: 8080, proxy: {enabled: false}, store: " + store
                                + "}}",
                        SessionCluster.class)
                .getSpec());
    }

    private static InjectedPod missed(String name) {
        return Seen.pod(name, false, null, true, null);
    }
}
