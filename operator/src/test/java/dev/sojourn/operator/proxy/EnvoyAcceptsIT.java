package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.IpFamily;
import dev.sojourn.operator.golden.Golden;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A real Envoy validates what is rendered for every input of the golden files: {@code -Dsojourn.envoy}, {@code SOJOURN_ENVOY}, or the one on the PATH. */
class EnvoyAcceptsIT {

    private static final Golden GOLDEN = Golden.of("envoy", ".yaml");

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void whatIsRendered(String name, @TempDir Path scratch) throws IOException, InterruptedException {
        var sessionCluster = GOLDEN.sessionCluster(name);
        Envoy.layOut(scratch, sessionCluster, IpFamily.IPv4, Map.of());
        Envoy.putCertificate(scratch, ServerCertificate.make(ServerCertificate.Kind.EC, "shop"));
        assertThat(Envoy.validate(scratch)).isEmpty();
        // Validation looks at no file of routes.
        Envoy.putRoutesInline(scratch, sessionCluster);
        assertThat(Envoy.validate(scratch)).isEmpty();
    }
}
