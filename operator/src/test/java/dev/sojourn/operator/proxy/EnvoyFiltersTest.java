package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvoyFiltersTest {

    /** Or, behind one host, each would put its own in place of the other's. */
    @ParameterizedTest
    @CsvSource({"shop, api", "stage, web", "shop-web, x"})
    void noTwoSessionClustersShareACookie(String namespace, String name) {
        assertThat(cookie(namespace, name)).isNotEqualTo(cookie("shop", "web"));
    }

    @Test
    void aSessionClusterKeepsItsCookie() {
        assertThat(cookie("shop", "web")).isEqualTo("sojourn-route-97375646b1");
    }

    private static String cookie(String namespace, String name) {
        var sessionCluster = new SessionCluster();
        sessionCluster.setMetadata(
                new ObjectMetaBuilder().withNamespace(namespace).withName(name).build());
        return EnvoyFilters.routeCookie(sessionCluster);
    }
}
