package dev.sojourn.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    private final AtomicBoolean stopping = new AtomicBoolean();

    @TempDir
    private Path folder;

    private Report report() throws IOException {
        return new Report(folder, "some", Map.of(), stopping::get);
    }

    @Test
    void aRunThatIsStoppedKeepsWhatItHad() throws IOException {
        Report report = report();
        report.section("one", "measured");
        report.add(List.of(1));
        String markdown = Files.readString(folder.resolve("some.md"));
        String json = Files.readString(folder.resolve("some.json"));
        stopping.set(true);
        assertThrows(IllegalStateException.class, () -> report.section("two", "killed"));
        assertThrows(IllegalStateException.class, () -> report.add(List.of(2)));
        assertEquals(markdown, Files.readString(folder.resolve("some.md")));
        assertEquals(json, Files.readString(folder.resolve("some.json")));
    }

    @Test
    void aFileIsReplacedAndNeverHalf() throws IOException {
        Report report = report();
        report.add(List.of(1));
        for (String name : List.of("some.md", "some.json")) {
            Path before = Files.createLink(folder.resolve("before-" + name), folder.resolve(name));
            String text = Files.readString(before);
            report.section("one", "measured");
            report.add(List.of(2));
            assertEquals(text, Files.readString(before));
            assertFalse(Files.readString(folder.resolve(name)).equals(text));
        }
    }
}
