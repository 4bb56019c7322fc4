package dev.sojourn.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sojourn.bench.measure.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One scenario's results: Markdown, printed as it comes and kept; all figures as JSON. A run that is stopped has kept what it had. */
public final class Report {
    private final Path folder;
    private final String scenario;
    private final Map<String, Object> conditions;
    private final BooleanSupplier stopping;
    private final StringBuilder markdown = new StringBuilder();
    private final List<Object> figures = new ArrayList<>();

    /**
     * @param conditions what the figures hold for: the machine, the JVM, the pace
     * @param stopping whether the run is stopped: then nothing is to be told any more, for servers that were killed answer nothing
     */
    public Report(Path folder, String scenario, Map<String, Object> conditions, BooleanSupplier stopping)
            throws IOException {
        this.folder = Files.createDirectories(folder);
        this.scenario = scenario;
        this.conditions = conditions;
        this.stopping = stopping;
        section(scenario, conditions + "\n");
    }

    public void section(String title, String text) throws IOException {
        requireRunning();
        String section = "\n### " + title + "\n\n" + text;
        System.out.print(section);
        markdown.append(section);
        write(".md", markdown.toString());
    }

    private void requireRunning() {
        if (stopping.getAsBoolean()) {
            throw new IllegalStateException(scenario + ": the run is stopped, and keeps what it had");
        }
    }

    /** The file is the one before or the new one, whenever the JVM ends. */
    private void write(String suffix, String text) throws IOException {
        Path fresh = folder.resolve(scenario + suffix + ".new");
        Files.writeString(fresh, text);
        Files.move(fresh, folder.resolve(scenario + suffix), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether every answer of Sojourn's own was right: what a peer gets wrong is a figure, what Sojourn does is a failure. */
    public boolean isSojournRight() {
        return figures.stream()
                .noneMatch(
                        one -> one instanceof Figures figure && figure.variant().sojourn() && !figure.right());
    }

    public void add(List<?> more) throws IOException {
        requireRunning();
        figures.addAll(more);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("scenario", scenario);
        all.put("conditions", conditions);
        all.put("figures", figures);
        write(
                ".json",
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(all));
    }

    public Path folder() {
        return folder;
    }
}
