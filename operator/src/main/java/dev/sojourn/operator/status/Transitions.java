package dev.sojourn.operator.status;

import dev.sojourn.operator.api.SessionClusterStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is worth an event: a condition with a new reason. */
public final class Transitions {

    private Transitions() {}

    public static List<Condition> between(@Nullable SessionClusterStatus before, SessionClusterStatus after) {
        return after.conditions().stream()
                .filter(condition ->
                        before == null || before.conditions().stream().noneMatch(old -> isSame(old, condition)))
                .toList();
    }

    private static boolean isSame(Condition old, Condition condition) {
        return old.getType().equals(condition.getType()) && old.getReason().equals(condition.getReason());
    }
}
