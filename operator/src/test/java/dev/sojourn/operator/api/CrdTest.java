package dev.sojourn.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -Dcrds.update=true} rewrites the committed CRD instead of comparing with it. */
class CrdTest {

    private static final Path COMMITTED = Path.of("..", "crds", "sessionclusters.sojourn.dev.yaml");

    @Test
    void theCommittedCrdIsTheGeneratedOne(@TempDir Path scratch) throws IOException {
        var generated = GeneratedCrd.yaml(scratch);
        if (Boolean.getBoolean("crds.update")) {
            Files.createDirectories(COMMITTED.getParent());
            Files.writeString(COMMITTED, generated);
        }
        assertThat(COMMITTED)
                .as("crds/ is stale: run `make generate` (-Dcrds.update=true) and commit")
                .hasContent(generated);
    }

    /** A status that is refused is refused whole: the SessionCluster would say nothing more. */
    @Test
    void theStatusHasRoomForEveryPodOfTheLargestStore(@TempDir Path scratch) throws IOException {
        var spec = new YAMLMapper()
                .readTree(GeneratedCrd.yaml(scratch))
                .at("/spec/versions/0/schema/openAPIV3Schema/properties");
        var managed = spec.at("/spec/properties/store/properties/managed/properties");
        var largest = managed.at("/shards/maximum").asInt()
                * (1 + managed.at("/replicas/maximum").asInt());
        assertThat(largest).isGreaterThan(100);
        assertThat(spec.at("/status/properties/storePods/maxItems").asInt()).isGreaterThan(largest);
    }
}
