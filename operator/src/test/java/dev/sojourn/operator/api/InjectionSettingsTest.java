package dev.sojourn.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What rolls the pods, and what must not. */
class InjectionSettingsTest {

    private static final String USUAL = "workload: {name: web}, port: 8080";

    /** Another value rolls the pods of everybody who upgrades the operator: let it be on purpose, and say so in the notes. */
    @Test
    void anUpgradeRollsNobody() {
        assertThat(hash(USUAL)).isEqualTo("c30b4f5f0b");
        assertThat(hash(USUAL + ", store: {external: {url: 'redis://r:6379', credentialsSecret: login}}"))
                .isEqualTo("85cce8d791");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "workload: {name: web}, port: 8081",
                USUAL + ", container: app",
                USUAL + ", replication: {mode: Async}",
                USUAL + ", replication: {storeOutage: Refuse}",
                USUAL + ", store: {external: {url: 'redis://r:6379'}}",
                USUAL + ", store: {managed: {topology: Replicated}}",
                USUAL + ", store: {managed: {topology: Sharded}}",
                USUAL + ", store: {next: {external: {url: 'redis://r:6379'}}}",
                USUAL + ", store: {previous: {external: {url: 'redis://r:6379'}}}",
                USUAL + ", drain: {deadline: 20s}",
                USUAL + ", drain: {mode: Sticky}",
                USUAL + ", agent: {concurrency: Exclusive}",
                USUAL + ", agent: {exclusiveContexts: [/shop]}",
                USUAL + ", agent: {excludedContexts: [/admin]}",
                USUAL + ", agent: {passivePaths: ['/shop/poll/*']}",
                USUAL + ", agent: {groups: ['a.*']}",
                USUAL + ", agent: {deserializationFilter: 'com.shop.**'}",
                USUAL + ", injection: {javaOptionsEnv: CATALINA_OPTS}",
                USUAL + ", injection: {resources: {limits: {cpu: 500m}}}",
                USUAL + ", injection: {resources: {requests: {memory: 48Mi}}}",
            })
    void whatEndsUpInThePodsRollsThem(String spec) {
        assertThat(hash(spec)).isNotEqualTo(hash(USUAL));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "workload: {name: web, kind: StatefulSet}, port: 8080",
                USUAL + ", session: {cookie: SID}",
                USUAL + ", replication: {mode: Sync}",
                USUAL + ", replication: {storeOutage: Serve}",
                USUAL + ", replication: {acknowledgedBy: 0}",
                USUAL + ", store: {managed: {ephemeral: true}}",
                USUAL + ", store: {managed: {storage: {size: 5Gi}}}",
                USUAL + ", store: {managed: {image: 'valkey:9', resources: {limits: {memory: 1Gi}}}}",
                USUAL + ", proxy: {enabled: false}",
                USUAL + ", proxy: {replicas: 5, stickiness: Cookie, accessLog: true}",
                USUAL + ", agent: {concurrency: Shared}",
                USUAL + ", injection: {watchdog: Evict}",
                USUAL + ", injection: {javaOptionsEnv: JAVA_TOOL_OPTIONS}",
                USUAL + ", injection: {resources: {}}",
                USUAL + ", injection: {resources: {limits: {}}}",
            })
    void nothingElseDoes(String spec) {
        assertThat(hash(spec)).isEqualTo(hash(USUAL));
    }

    @Test
    void moreShardsOrReplicasRollNobody() {
        assertThat(hash(USUAL + ", store: {managed: {topology: Sharded, shards: 6, replicas: 2}}"))
                .isEqualTo(hash(USUAL + ", store: {managed: {topology: Sharded}}"));
    }

    @Test
    void theManagedStoreIsTheSameInWhateverPlaceItIsNamed() {
        var external = "external: {url: 'redis://r:6379'}";
        var first = settings(USUAL + ", store: {managed: {topology: Replicated}, next: {" + external + "}}");
        var then = settings(
                USUAL + ", store: {managed: {topology: Replicated}, " + external + ", previous: {managed: true}}");
        assertThat(then.otherStore()).isEqualTo(first.store()).isEqualTo(then.previous());
        assertThat(then.store()).isEqualTo(first.otherStore()).isEqualTo(first.next());
        assertThat(first.store().acknowledgedBy()).isEqualTo(1);
    }

    @Test
    void aManagedStoreThatIsNotDescribedIsTheDefault() {
        var moving = settings(USUAL + ", store: {external: {url: 'redis://r:6379'}, previous: {managed: true}}");
        assertThat(moving.otherStore()).isEqualTo(settings(USUAL).store());
    }

    @Test
    void theOrderOfAmountsIsNoSetting() {
        assertThat(hash(USUAL + ", injection: {resources: {limits: {memory: 1Gi, cpu: 1}}}"))
                .isEqualTo(hash(USUAL + ", injection: {resources: {limits: {cpu: 1, memory: 1Gi}}}"));
    }

    private static String hash(String spec) {
        return settings(spec).hash();
    }

    private static InjectionSettings settings(String spec) {
        // Read as YAML: without the dashes a brace would mean JSON.
        var cluster = Serialization.unmarshal(
                "---\n{metadata: {name: web, namespace: shop}, spec: {" + spec + "}}", SessionCluster.class);
        return InjectionSettings.of(cluster);
    }
}
