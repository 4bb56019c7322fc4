package dev.sojourn.operator.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The series that daemon, edge and operator register, read from where they register them. */
final class ExportedNames {

    private static final Path DAEMON = Path.of("..", "sidecar", "daemon", "src");

    /** {@code queue_bytes: Gauge} in a struct. */
    private static final Pattern RUST_FIELD = Pattern.compile("(\\w+): (?:Family<\\w+, )?(Counter|Gauge|Histogram)\\b");

    /** {@code bytes: add(r, "queue_bytes"} in its constructor. */
    private static final Pattern RUST_METRIC = Pattern.compile("(\\w+): (?:add|register)\\(\\s*r,\\s*\"(\\w+)\"");

    private static final Pattern JAVA_GAUGE =
            Pattern.compile("new ClusterGauge\\(\\s*registry,\\s*\"(sojourn[.a-z]+)\"");
    private static final Pattern JAVA_BUILDER = Pattern.compile("(Gauge|Counter)\\.builder\\(\\s*\"(sojourn[.a-z]+)\"");
    private static final Pattern JAVA_COUNTER = Pattern.compile("\\.counter\\(\\s*\"(sojourn[.a-z]+)\"");

    private final Set<String> names = new TreeSet<>();

    static Set<String> all() throws IOException {
        var exported = new ExportedNames();
        exported.rust("sojourn_", "metrics.rs");
        exported.rust("", "process.rs");
        exported.rust("sojourn_", "claims/metrics.rs");
        exported.rust("sojourn_edge_", "edge/metrics.rs");
        exported.java(Path.of("src", "main", "java"));
        return exported.names;
    }

    /** A field's name tells its type; one of the same name in two structs has the same type. */
    private void rust(String prefix, String file) throws IOException {
        var source = Files.readString(DAEMON.resolve(file));
        var types = new HashMap<String, String>();
        RUST_FIELD.matcher(source).results().forEach(field -> types.putIfAbsent(field.group(1), field.group(2)));
        RUST_METRIC.matcher(source).results().forEach(metric -> {
            var type = types.get(metric.group(1));
            if (type == null) {
                throw new IllegalStateException(file + ": " + metric.group(1) + " has no type that is known here");
            }
            add(prefix + metric.group(2), type);
        });
    }

    private void java(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(isJava()).toList()) {
                var source = Files.readString(file);
                JAVA_GAUGE.matcher(source).results().forEach(m -> add(underscored(m.group(1)), "Gauge"));
                JAVA_BUILDER.matcher(source).results().forEach(m -> add(underscored(m.group(2)), m.group(1)));
                JAVA_COUNTER.matcher(source).results().forEach(m -> add(underscored(m.group(1)), "Counter"));
            }
        }
    }

    private static Predicate<Path> isJava() {
        return file -> file.toString().endsWith(".java");
    }

    private static String underscored(String name) {
        return name.replace('.', '_');
    }

    private void add(String name, String type) {
        switch (type) {
            case "Counter" -> names.add(name + "_total");
            case "Histogram" -> List.of("_bucket", "_sum", "_count").forEach(part -> names.add(name + part));
            default -> names.add(name);
        }
    }
}
