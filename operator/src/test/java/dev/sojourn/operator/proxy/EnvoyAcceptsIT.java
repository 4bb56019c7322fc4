package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.golden.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A real Envoy validates every golden configuration: {@code -Dsojourn.envoy}, {@code SOJOURN_ENVOY}, or the one on the PATH. */
class EnvoyAcceptsIT {

    static Stream<Path> configurations() {
        return Golden.of("envoy", ".yaml").outputs();
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void theGoldenConfiguration(Path golden, @TempDir Path scratch) throws IOException, InterruptedException {
        var envoy = envoy();
        Assumptions.assumeTrue(envoy.isPresent(), "no Envoy: set SOJOURN_ENVOY");
        // Envoy looks whether the endpoint file exists.
        Files.writeString(scratch.resolve("eds.json"), "{\"resources\": []}");
        var configuration = scratch.resolve("envoy.yaml");
        Files.writeString(
                configuration, Files.readString(golden).replace(EnvoyCluster.ENDPOINTS_DIRECTORY, scratch.toString()));

        var process = new ProcessBuilder(envoy.get().toString(), "--mode", "validate", "-c", configuration.toString())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);

        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).doesNotContain("deprecated");
    }

    private static Optional<Path> envoy() {
        var named = Stream.of(System.getProperty("sojourn.envoy"), System.getenv("SOJOURN_ENVOY"))
                .filter(path -> path != null && !path.isBlank())
                .map(Path::of);
        var onPath = Arrays.stream(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, "envoy"));
        return Stream.concat(named, onPath).filter(Files::isExecutable).findFirst();
    }
}
