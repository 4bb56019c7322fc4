package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The sidecar only warns of a variable that it does not know: a name that is misspelt on one side is a setting that does nothing. */
public class SidecarVariablesTest {

    private static final Path KEYS = Path.of("..", "sidecar", "daemon", "src", "config", "reader.rs");

    private static final Pattern KEY = Pattern.compile("(?m)^ {4}\"([a-z_.]+)\",$");

    @Test
    void theSidecarKnowsAllThatItIsGiven() throws IOException {
        var known = known();
        var given = new TreeSet<String>();
        try (var files = Files.list(Path.of("src", "test", "resources", "inject", "out"))) {
            for (var file : files.toList()) {
                given.addAll(given(new ObjectMapper().readTree(file.toFile())));
            }
        }
        assertThat(given).contains("SOJOURN_CLUSTER", "SOJOURN_STORE_URL");
        assertThat(known).containsAll(given);
    }

    private static List<String> given(JsonNode injected) {
        return injected.at("/pod/spec/initContainers").findParents("restartPolicy").stream()
                .filter(container -> container.path("name").asText().equals("sojourn"))
                .flatMap(container -> container.path("env").findValuesAsText("name").stream())
                .toList();
    }

    /** By sidecar and edge, which are one binary. */
    public static Set<String> known() throws IOException {
        var known = new TreeSet<String>();
        var keys = KEY.matcher(Files.readString(KEYS));
        while (keys.find()) {
            known.add("SOJOURN_" + keys.group(1).toUpperCase(Locale.ROOT).replace('.', '_'));
        }
        return known;
    }
}
