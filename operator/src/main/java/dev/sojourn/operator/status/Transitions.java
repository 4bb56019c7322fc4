package dev.sojourn.operator.status;

import dev.sojourn.operator.api.SessionClusterStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is worth an event: a condition with a new reason. */
public final class Transitions {

    /** What every SessionCluster goes through: not ready, and nothing to mend, or something else is, and says so itself. */
    private static final Set<String> UNDERWAY =
            Set.of("StoreStarting", "ProxyStarting", "Waiting", "WaitingForStore", "WaitingForPods", "RollingOut");

    /** It goes on, but somebody had better look. */
    private static final Set<String> LOOK =
            Set.of("StoreDegraded", "StoreFilling", StatusAggregator.STORE_FULL, "StoreLeft");

    private Transitions() {}

    public static List<Condition> between(@Nullable SessionClusterStatus before, SessionClusterStatus after) {
        return after.conditions().stream()
                .filter(condition ->
                        before == null || before.conditions().stream().noneMatch(old -> isSame(old, condition)))
                .toList();
    }

    public static boolean isWarning(Condition condition) {
        return "True".equals(condition.getStatus())
                ? LOOK.contains(condition.getReason())
                : !UNDERWAY.contains(condition.getReason());
    }

    private static boolean isSame(Condition old, Condition condition) {
        return old.getType().equals(condition.getType()) && old.getReason().equals(condition.getReason());
    }
}
