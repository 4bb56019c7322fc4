package dev.sojourn.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sojourn.bench.measure.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One scenario's results: Markdown, printed as it comes and kept; all figures as JSON. A run that is stopped has kept what it had. */
public final class Report {
    private final Path folder;
    private final String scenario;
    private final Map<String, Object> conditions;
    private final StringBuilder markdown = new StringBuilder();
    private final List<Object> figures = new ArrayList<>();

    /** @param conditions what the figures hold for: the machine, the JVM, the pace */
    public Report(Path folder, String scenario, Map<String, Object> conditions) throws IOException {
        this.folder = Files.createDirectories(folder);
        this.scenario = scenario;
        this.conditions = conditions;
        section(scenario, conditions + "\n");
    }

    public void section(String title, String text) throws IOException {
        String section = "\n### " + title + "\n\n" + text;
        System.out.print(section);
        markdown.append(section);
        Files.writeString(folder.resolve(scenario + ".md"), markdown);
    }

    /** Whether every answer of Sojourn's own was right: what a peer gets wrong is a figure, what Sojourn does is a failure. */
    public boolean isSojournRight() {
        return figures.stream()
                .noneMatch(
                        one -> one instanceof Figures figure && figure.variant().sojourn() && !figure.right());
    }

    public void add(List<?> more) throws IOException {
        figures.addAll(more);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("scenario", scenario);
        all.put("conditions", conditions);
        all.put("figures", figures);
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(folder.resolve(scenario + ".json").toFile(), all);
    }

    public Path folder() {
        return folder;
    }
}
