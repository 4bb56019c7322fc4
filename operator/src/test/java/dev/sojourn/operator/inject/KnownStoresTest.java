package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnownStoresTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{next: {external: {url: 'redis://b:6379', credentialsSecret: b}}}",
                "{external: {url: 'redis://b:6379'}, previous: {managed: true}}"
            })
    void aPodSaysWhatItWasInjectedWith(String store) {
        var settings = settings(store);
        var pod = Serialization.unmarshal(injected(settings).toString(), Pod.class);
        assertThat(KnownStores.of(pod)).hasValue(KnownStores.of(settings));
    }

    @Test
    void aPodWithoutTheSidecarKnowsNone() {
        assertThat(KnownStores.of(Serialization.unmarshal(pod().toString(), Pod.class)))
                .isEmpty();
        assertThat(KnownStores.of(new Pod())).isEmpty();
    }

    private static InjectionSettings settings(String store) {
        return InjectionSettings.of(Serialization.unmarshal(
                "---\n{metadata: {name: web, namespace: shop}," + " spec: {workload: {name: web}, port: 8080, store: "
                        + store + "}}",
                SessionCluster.class));
    }

    private static Object injected(InjectionSettings settings) {
        var injector = new Injector(new SidecarSpec("sidecar", "IfNotPresent", IpFamily.IPv4, false));
        return injector.inject(pod(), settings, false).pod();
    }

    private static ObjectNode pod() {
        var pod = JSON.createObjectNode();
        pod.putObject("metadata").put("name", "web-1");
        pod.putObject("spec").putArray("containers").addObject().put("name", "app");
        return pod;
    }
}
