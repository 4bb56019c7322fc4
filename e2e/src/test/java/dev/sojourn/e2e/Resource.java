package dev.sojourn.e2e;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A file of the scenarios' own. */
final class Resource {
    private Resource() {}

    /** @param path from the root of the test's resources, as in {@code /long/slow.jsp} */
    static String text(String path) {
        try (var stream = Resource.class.getResourceAsStream(path)) {
            if (stream == null) {
                throw new FileNotFoundException(path);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
