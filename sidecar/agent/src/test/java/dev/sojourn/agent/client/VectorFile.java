package dev.sojourn.agent.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The protocol's vectors, shared by all implementations. */
final class VectorFile {
    static final Path FOLDER = Path.of(System.getProperty("basedir", "."), "../protocol/vectors");

    private VectorFile() {}

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    static Stream<JsonNode> read(String name) throws IOException {
        JsonNode all = new ObjectMapper().readTree(FOLDER.resolve(name).toFile());
        return StreamSupport.stream(all.spliterator(), false);
    }

    /** Undoes the escapes that are on top of JSON's own. */
    static byte[] bytes(JsonNode escaped) {
        String text = escaped.textValue();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\') {
                out.write(c);
                continue;
            }
            char escape = text.charAt(++i);
            switch (escape) {
                case 'r' -> out.write('\r');
                case 'n' -> out.write('\n');
                case '\\' -> out.write('\\');
                case 'x' -> {
                    out.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                    i += 2;
                }
                default -> throw new IllegalArgumentException("escape \\" + escape + " in " + text);
            }
        }
        return out.toByteArray();
    }

    static String text(JsonNode escaped) {
        return new String(bytes(escaped), StandardCharsets.UTF_8);
    }
}
