package dev.sojourn.operator.status;

import static dev.sojourn.operator.api.ConditionType.InjectionReady;
import static dev.sojourn.operator.api.ConditionType.ProxyReady;
import static dev.sojourn.operator.api.ConditionType.Ready;
import static dev.sojourn.operator.api.ConditionType.StoreReady;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Builds the whole status. Same findings, same status: times move only when a condition flips. */
public final class StatusAggregator {

    /** The reason of a store that drops what it has for want of memory. */
    public static final String STORE_FULL = "StoreFull";

    /** In characters, as the schema has it: what a message has beyond is cut. */
    public static final int LONGEST_MESSAGE = 1024;

    private final SessionCluster sessionCluster;
    private final @Nullable SessionClusterStatus previous;
    private final Instant now;

    public StatusAggregator(SessionCluster sessionCluster, Instant now) {
        this.sessionCluster = sessionCluster;
        this.previous = sessionCluster.getStatus();
        this.now = now.truncatedTo(ChronoUnit.SECONDS);
    }

    /** @param refusal why not all was done; it is then what Ready says, whatever else is true */
    public SessionClusterStatus build(Findings findings, Optional<Finding> refusal) {
        var parts = List.of(findings.store(), findings.proxy(), findings.injection());
        var ready = refusal.or(
                        () -> parts.stream().filter(part -> !part.holds()).findFirst())
                .map(worst -> Finding.bad(worst.reason(), worst.message()))
                .orElseGet(() -> kept(findings));
        var conditions = new ArrayList<Condition>();
        conditions.add(condition(Ready, ready));
        conditions.add(condition(StoreReady, findings.store()));
        conditions.add(condition(ProxyReady, findings.proxy()));
        conditions.add(condition(InjectionReady, findings.injection()));
        var settings = findings.settings();
        return new SessionClusterStatus(
                sessionCluster.getMetadata().getGeneration(),
                conditions,
                findings.injectedPods(),
                findings.totalPods(),
                findings.injectedPods() + "/" + findings.totalPods(),
                findings.storeEndpoint(),
                findings.storeReached() || settings.map(this::wasInUse).orElse(false),
                findings.storePods(),
                findings.proxyEndpoint(),
                settings.orElse(null));
    }

    /** Nothing stops; but a store that drops sessions does not keep them. */
    private static Finding kept(Findings findings) {
        return STORE_FULL.equals(findings.store().reason())
                ? findings.store()
                : Finding.good("SessionsKept", findings.injection().message());
    }

    /** Not everything could be done: what was seen is said all the same, or nobody would hear what else goes wrong meanwhile. */
    public SessionClusterStatus failed(Findings findings, Throwable error) {
        return build(findings, Optional.of(failure(error)));
    }

    /** Nothing could be seen: what was known stays, and Ready says what happened. */
    public SessionClusterStatus failed(Throwable error) {
        var conditions = new ArrayList<Condition>();
        conditions.add(condition(Ready, failure(error)));
        if (previous == null) {
            return new SessionClusterStatus(null, conditions, 0, 0, "0/0", null, false, List.of(), null, null);
        }
        previous.conditions().stream()
                .filter(condition -> !Ready.name().equals(condition.getType()))
                .forEach(conditions::add);
        return new SessionClusterStatus(
                previous.observedGeneration(),
                conditions,
                previous.injectedPods(),
                previous.totalPods(),
                previous.injected(),
                previous.storeEndpoint(),
                previous.storeInUse(),
                previous.storePods(),
                previous.proxyEndpoint(),
                previous.injection());
    }

    private static Finding failure(Throwable error) {
        return Finding.bad("ReconcileFailed", Words.of(error));
    }

    /** Of another store nobody knows whether anybody's session is in it. */
    private boolean wasInUse(InjectionSettings settings) {
        return previous != null
                && previous.storeInUse()
                && lastAccepted().map(settings::hasSameStore).orElse(false);
    }

    private Optional<InjectionSettings> lastAccepted() {
        return Optional.ofNullable(previous).map(SessionClusterStatus::injection);
    }

    private Condition condition(ConditionType type, Finding finding) {
        var status = finding.status().name();
        var since = Optional.ofNullable(previous).stream()
                .flatMap(before -> before.conditions().stream())
                .filter(before -> type.name().equals(before.getType()) && status.equals(before.getStatus()))
                .map(Condition::getLastTransitionTime)
                .findFirst()
                .orElseGet(now::toString);
        return new ConditionBuilder()
                .withType(type.name())
                .withStatus(status)
                .withReason(finding.reason())
                .withMessage(shortened(finding.message()))
                .withLastTransitionTime(since)
                .withObservedGeneration(sessionCluster.getMetadata().getGeneration())
                .build();
    }

    /** The schema's limit: a long message must not make the whole status unwritable. */
    private static String shortened(String message) {
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE - 3) + "...";
    }
}
