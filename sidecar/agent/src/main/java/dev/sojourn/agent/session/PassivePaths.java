package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Wildcard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/** Requests that their users do not make themselves, such as polls and reconnects: they use a session, and keep none alive. */
public final class PassivePaths {
    private final List<Pattern> patterns = new ArrayList<>();

    /** {@code paths} as an application sees them, its context path included, without a query; {@code *} is any text. */
    public PassivePaths(Collection<String> paths) {
        for (String path : paths) {
            patterns.add(Wildcard.compiled(path));
        }
    }

    public boolean any() {
        return !patterns.isEmpty();
    }

    public boolean contains(String path) {
        for (Pattern pattern : patterns) {
            if (pattern.matcher(path).matches()) {
                return true;
            }
        }
        return false;
    }
}
