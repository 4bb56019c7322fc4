package dev.sojourn.agent.session;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The setting {@code deserialization.filter}: a pattern, {@code file:<path>} or {@code learn:<path>}. */
final class FilterSetting {
    private static final String FILE = "file:";
    private static final String LEARN = "learn:";

    /** What the JDK's filters understand. What was set is asked first, so it may allow what is refused otherwise. */
    final String pattern;

    /** Where to write down what sessions need; null: nowhere. */
    final @Nullable File learn;

    private FilterSetting(String pattern, @Nullable File learn) {
        this.pattern = Gadgets.LIMITS + pattern + (pattern.isEmpty() ? "" : ";") + Gadgets.PATTERNS;
        this.learn = learn;
    }

    static FilterSetting of(String setting) throws IOException {
        if (setting.startsWith(LEARN)) {
            return new FilterSetting("", new File(setting.substring(LEARN.length())));
        }
        if (setting.startsWith(FILE)) {
            return new FilterSetting(listed(new File(setting.substring(FILE.length()))), null);
        }
        return new FilterSetting(setting.trim(), null);
    }

    /** One pattern in each line, as a learning agent writes them; nothing else is allowed. */
    private static String listed(File file) throws IOException {
        List<String> patterns = new ArrayList<>();
        for (String line : Files.readAllLines(file.toPath(), StandardCharsets.UTF_8)) {
            String pattern = line.trim();
            if (!pattern.isEmpty() && !pattern.startsWith("#")) {
                patterns.add(pattern);
            }
        }
        patterns.add("!*");
        return String.join(";", patterns);
    }
}
