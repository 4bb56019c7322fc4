package dev.sojourn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VariantTest {
    @Test
    void whatAVariantSetsItsConfigurationRefersTo() throws IOException {
        for (Variant variant : Variant.all()) {
            if (variant.sojourn()) {
                continue;
            }
            String configuration = configuration(variant);
            for (String property : variant.settings.keySet()) {
                assertTrue(configuration.contains("${" + property + "}"), variant + " sets " + property);
            }
        }
    }

    private static String configuration(Variant variant) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(Path.of("peers", variant.folder))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    @Test
    void twoVariantsOfOnePeerDiffer() {
        List<Variant> all = Variant.all();
        assertEquals(
                all.size(),
                all.stream()
                        .map(variant -> variant.folder + variant.settings)
                        .distinct()
                        .count());
    }
}
