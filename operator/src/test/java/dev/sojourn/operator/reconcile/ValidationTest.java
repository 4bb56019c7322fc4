package dev.sojourn.operator.reconcile;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.inject.KnownStores;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.store.StoreProbe;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValidationTest {

    private final Seen seen = new Seen();

    @Test
    void aWorkloadAndAPortAreEnough() {
        assertThat(seen.refusal()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Deployment, web-proxy, WorkloadNameReserved",
        "StatefulSet, web-store, WorkloadNameReserved",
        "Deployment, web-store,",
        "StatefulSet, web-proxy,"
    })
    void whatIsCalledLikeTheStoreOrTheProxyIsNotTakenForThem(String kind, String name, @Nullable String reason) {
        spec("{workload: {kind: %s, name: %s}, port: 8080}".formatted(kind, name));
        assertThat(seen.refusal().map(Refusal::reason)).isEqualTo(Optional.ofNullable(reason));
    }

    @Test
    void whereTheWebhookDoesNotLookNothingIsDone() {
        seen.namespaceServed = false;
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("NamespaceNotServed");
            assertThat(refusal.message()).contains("webhook.excludedNamespaces");
        });
    }

    @Test
    void theOlderSessionClusterKeepsTheWorkload() {
        seen.rival = Optional.of("first");
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("WorkloadTaken");
            assertThat(refusal.message()).contains("first", "delete one");
        });
    }

    @Test
    void aMissingWorkloadIsAwaited() {
        seen.workload = Optional.empty();
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("WorkloadNotFound");
    }

    @Test
    void aPortThatNoContainerHasIsRefusedWithThoseThereAre() {
        spec("{workload: {name: web}, port: 9090}");
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("PortNotFound");
            assertThat(refusal.message()).contains("9090", "8080 (app)");
        });
    }

    @Test
    void whereNoPortsAreDeclaredTheSpecIsBelieved() {
        seen.workload = Optional.of(Seen.workload("{spec: {containers: [{name: app}]}}"));
        assertThat(seen.refusal()).isEmpty();
    }

    @Test
    void aContainerThatIsNotThereIsRefused() {
        spec("{workload: {name: web}, port: 8080, container: web}");
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("ContainerNotFound");
            assertThat(refusal.message()).contains("app");
        });
    }

    @Test
    void volumesThatCannotHaveTheirSizeAreNamed() {
        seen.volumesTrouble =
                Optional.of("spec.store.managed.storage.size: 1Gi: the volumes have 2Gi and cannot shrink");
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.concerns()).isEqualTo(ConditionType.StoreReady);
            assertThat(refusal.reason()).isEqualTo("StorageUnavailable");
            assertThat(refusal.message()).contains("cannot shrink");
        });
    }

    @Test
    void hostNetworkIsRefused() {
        seen.workload = Optional.of(Seen.workload("{spec: {hostNetwork: true, containers: [{name: app}]}}"));
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("HostNetwork");
    }

    @Test
    void whatGoesByTheSidecarsNameIsNamedBeforeAnyPodIsRolled() {
        seen.workload = Optional.of(Seen.workload("{spec: {containers: [{name: app}], volumes: [{name: sojourn}]}}"));
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("NameTaken");
            assertThat(refusal.message()).contains("volume named sojourn", "rename");
        });
        seen.workload = Optional.of(Seen.workload("{spec: {containers: [{name: app}, {name: sojourn}]}}"));
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("NameTaken");
        seen.workload = Optional.of(Seen.workload("{spec: {containers: [{name: app}], volumes: [{name: sojourn-x}]}}"));
        assertThat(seen.refusal()).isEmpty();
    }

    @Test
    void aMissingSecretIsRefused() {
        seen.missingSecrets = List.of("spec.store.external.credentialsSecret: there is no Secret login; create it");
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("SecretNotFound");
    }

    @Test
    void aCertificateThatCannotBeUsedIsRefused() {
        seen.tlsTrouble = Optional.of(Finding.bad("TlsSecretNotFound", "there is no Secret shop-tls"));
        assertThat(seen.refusal()).map(Refusal::concerns).hasValue(ConditionType.ProxyReady);
        assertThat(seen.inspection().proxy().reason()).isEqualTo("TlsSecretNotFound");
        assertThat(seen.inspection().store().holds()).isTrue();
    }

    @Test
    void aRangeThatIsNoneIsNamed() {
        spec("{workload: {name: web}, port: 8080, proxy: {limits: {deny: [{cidr: 10.0.0.0/99}]}}}");
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("LimitsInvalid");
            assertThat(refusal.message()).contains("limits.deny", "10.0.0.0/99");
        });
    }

    @Test
    void aSidecarThatWouldBeKilledIsRefused() {
        spec("{workload: {name: web}, port: 8080, injection: {resources: {limits: {memory: 32Mi}}}}");
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("ResourcesInvalid");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "proxy: {resources: {limits: {memory: 512MB}}} | ProxyReady | spec.proxy.resources.limits.memory: 512MB is no amount",
                "proxy: {resources: {requests: {cpu: 2}, limits: {cpu: 1}}} | ProxyReady | spec.proxy.resources.requests.cpu: 2 is more",
                "store: {managed: {resources: {limits: {memory: 1GB}}}} | StoreReady | spec.store.managed.resources.limits.memory: 1GB is no amount",
                "proxy: {edgeResources: {requests: {memory: 128Mi}}} | ProxyReady | spec.proxy.edgeResources.requests.memory: 128Mi is more",
                "store: {managed: {sentinelResources: {limits: {cpu: many}}}} | StoreReady | spec.store.managed.sentinelResources.limits.cpu: many is no amount",
                "proxy: {enabled: false, resources: {limits: {memory: 512MB}}} | |",
                "store: {managed: {resources: {requests: {cpu: 1e3, memory: 0.5Gi}}}} | |"
            })
    void amountsThatAreNoneAreNamed(String spec, @Nullable ConditionType concerns, @Nullable String message) {
        spec("{workload: {name: web}, port: 8080, " + spec + "}");
        assertThat(seen.refusal().map(Refusal::concerns)).isEqualTo(Optional.ofNullable(concerns));
        if (message != null) {
            assertThat(seen.refusal()).map(Refusal::message).get().asString().startsWith(message);
            assertThat(seen.refusal()).map(Refusal::reason).hasValue("ResourcesInvalid");
        }
    }

    @Test
    void aNewStoreMustAnswer() {
        seen.external = Optional.of(result(StoreProbe.Outcome.StoreAuthFailed));
        assertThat(seen.refusal()).get().satisfies(refusal -> {
            assertThat(refusal.reason()).isEqualTo("StoreAuthFailed");
            assertThat(refusal.concerns()).isEqualTo(ConditionType.StoreReady);
        });
    }

    @Test
    void aStoreThatWasAcceptedMayBeAway() {
        store("{external: {url: 'redis://theirs:6379'}}");
        seen.external = Optional.of(result(StoreProbe.Outcome.StoreUnreachable));
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        assertThat(seen.refusal()).isEmpty();
        assertThat(seen.inspection().store().holds()).isFalse();
    }

    @Test
    void theStoreThatSessionsMoveToMustAnswerBeforeAnyPodKnowsIt() {
        store("{next: {external: {url: 'redis://theirs:6379'}}}");
        seen.otherExternal = Optional.of(result(StoreProbe.Outcome.StoreUnreachable));
        assertThat(seen.refusal())
                .get()
                .satisfies(refusal -> assertThat(refusal.message()).startsWith("spec.store.next: "));
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        assertThat(seen.refusal()).isEmpty();
        assertThat(seen.inspection().store()).satisfies(finding -> {
            assertThat(finding.holds()).isFalse();
            assertThat(finding.message()).startsWith("spec.store.next: ");
        });
    }

    @Test
    void aStoreThatIsLostForGoodCanBeLeft() {
        store("{external: {url: 'redis://lost:6379'}}");
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        store("{external: {url: 'redis://new:6379'}," + " previous: {external: {url: 'redis://lost:6379'}}}");
        seen.external = Optional.of(result(StoreProbe.Outcome.StoreAnswers));
        seen.otherExternal = Optional.of(result(StoreProbe.Outcome.StoreUnreachable));
        assertThat(seen.refusal()).isEmpty();
    }

    @Test
    void aStoreIsNotMadeOfOneOfAnotherTopologyThatIsStillThere() {
        store("{managed: {topology: Replicated}}");
        var fixed = requireNonNull(seen.cluster.getSpec().store().managed()).fixed();
        seen.store.ifPresent(set -> set.getMetadata().setAnnotations(Map.of(Names.FIXED_ANNOTATION, fixed)));
        assertThat(seen.refusal()).isEmpty();
        for (var another : List.of(
                "{topology: Sharded}",
                "{topology: Replicated, storage: {storageClassName: fast}}",
                "{ephemeral: true}")) {
            store("{external: {url: 'redis://theirs:6379'}, next: {managed: true}, managed: " + another + "}");
            assertThat(seen.refusal()).get().satisfies(refusal -> {
                assertThat(refusal.reason()).isEqualTo("StoreOfBefore");
                assertThat(refusal.message()).contains(fixed, "StatefulSet");
            });
        }
        assertThat(seen.refusal()).map(Refusal::message).get().asString().contains("until its StatefulSet has gone");
        seen.store.ifPresent(set -> set.getMetadata().setOwnerReferences(List.of()));
        assertThat(seen.refusal()).map(Refusal::message).get().asString().contains("kubectl delete statefulset");
        store("{external: {url: 'redis://theirs:6379'}}");
        assertThat(seen.refusal()).isEmpty();
    }

    @Test
    void theStoreDoesNotChangeUnderPodsThatDoNotKnowIt() {
        store("{external: {url: 'redis://b:6379'}, previous: {managed: true}}");
        seen.keepers =
                List.of(new StoreMove.Keeper("web-1", null, new KnownStores("redis://web-store.shop.svc:6379", null)));
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("WaitingForPods");
        assertThat(seen.inspection().injection().message()).contains("web-1");
        seen.keepers = List.of();
        assertThat(seen.refusal()).isEmpty();
    }

    @Test
    void aStoreThatIsNotAskedForWantOfASecretIsSaidToBeWhateverElseIsWrong() {
        store("{external: {url: 'redis://theirs:6379', credentialsSecret: login}}");
        seen.workload = Optional.empty();
        seen.missingSecrets = List.of("spec.store.external.credentialsSecret: there is no Secret login; create it");
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("WorkloadNotFound");
        assertThat(seen.inspection().store()).satisfies(finding -> {
            assertThat(finding.holds()).isFalse();
            assertThat(finding.message()).contains("Secret login");
        });
    }

    @Test
    void aManagedStoreThatSessionsComeFromIsLookedAfter() {
        store("{external: {url: 'redis://theirs:6379'}, previous: {managed: true}}");
        seen.external = Optional.of(result(StoreProbe.Outcome.StoreAnswers));
        assertThat(seen.inspection().store().holds()).isTrue();
        seen.store = Optional.empty();
        assertThat(seen.inspection().store().message()).startsWith("spec.store.previous: ");
    }

    private void spec(String spec) {
        seen.cluster.setSpec(Serialization.unmarshal("---\n{spec: " + spec + "}", SessionCluster.class)
                .getSpec());
    }

    private void store(String store) {
        spec("{workload: {name: web}, port: 8080, store: " + store + "}");
    }

    private static StoreProbe.Result result(StoreProbe.Outcome outcome) {
        return new StoreProbe.Result(outcome, "", 0);
    }
}
