package dev.sojourn.operator.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class SidecarHealthTest {

    private static final Path VECTORS =
            Path.of(System.getProperty("basedir", "."), "../sidecar/protocol/vectors/storez.json");

    @Test
    void understandsWhatTheVectorsSay() throws IOException {
        for (JsonNode vector : new ObjectMapper().readTree(VECTORS.toFile())) {
            JsonNode page = vector.get("page");

            var health = SidecarHealth.parse(page.toString()).orElseThrow();

            assertThat(health.state().name().toLowerCase(Locale.ROOT))
                    .isEqualTo(page.get("state").asText());
            assertThat(health.seconds()).isEqualTo(page.path("seconds").asLong());
            assertThat(health.kind()).isEqualTo(page.path("kind").asText());
            assertThat(health.message()).isEqualTo(page.path("message").asText());
            assertThat(health.mend()).isEqualTo(page.path("mend").asText());
            assertThat(health.secondsWithoutApplication())
                    .isEqualTo(page.path("seconds_without_application").asLong());
        }
    }
}
