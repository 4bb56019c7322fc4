package dev.sojourn.operator.golden;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A folder of inputs, a folder of what becomes of them. {@code -Dgolden.update=true} rewrites the outputs: then the diff is to be
 * read. An output without its input fails, or it would be believed for ever.
 */
public record Golden(Path folder, String outputs, String extension) {

    public static Golden of(String name, String extension) {
        return new Golden(Path.of("src", "test", "resources", name), "out", extension);
    }

    /** The same inputs, and something else that becomes of them. */
    public Golden to(String outputs) {
        return new Golden(folder, outputs, extension);
    }

    public List<String> names() {
        return files("in");
    }

    public String input(String name) {
        return read(folder.resolve("in").resolve(name + extension));
    }

    public SessionCluster sessionCluster(String name) {
        return Serialization.unmarshal(input(name), SessionCluster.class);
    }

    /** Maps in order: theirs is another one in each JVM. */
    public static String yaml(Object object) {
        try {
            return new YAMLMapper()
                    .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                    .writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param actual what became of the input of that name */
    public void check(String name, String actual) {
        var expected = folder.resolve(outputs).resolve(name + extension);
        if (Boolean.getBoolean("golden.update")) {
            write(expected, actual);
        }
        assertThat(expected)
                .as("run with -Dgolden.update=true and read the diff")
                .exists();
        assertThat(actual).isEqualTo(read(expected));
    }

    public void checkNoOrphans() {
        assertThat(files(outputs)).isSubsetOf(names());
    }

    private List<String> files(String part) {
        try (var files = Files.list(folder.resolve(part))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(extension))
                    .map(file -> file.substring(0, file.length() - extension.length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
