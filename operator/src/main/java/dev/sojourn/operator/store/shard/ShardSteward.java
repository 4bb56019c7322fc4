package dev.sojourn.operator.store.shard;

import static java.util.stream.Collectors.toMap;

import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.store.StoreConnections;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreException;
import dev.sojourn.operator.store.StoreLook;
import dev.sojourn.operator.store.StoreNode;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/** Leads a sharded store to what its spec says: takes the next step, and is called again with a new look. */
@ApplicationScoped
public class ShardSteward {

    private static final Logger LOG = Logger.getLogger(ShardSteward.class);

    /** A reconciliation holds a thread no longer; moving goes on in the next. */
    private static final Duration AT_ONCE = Duration.ofSeconds(4);

    private final StoreConnections connections;
    private final InstantSource clock = InstantSource.system();
    private final Map<ResourceID, ShardReport> reports = new ConcurrentHashMap<>();

    public ShardSteward(StoreConnections connections) {
        this.connections = connections;
    }

    /** Does what is to be done next, as the cluster was seen. */
    public ShardReport tend(SessionCluster primary, ManagedStoreSpec managed, Login login, StoreLook look) {
        var servers = look.nodes().stream().collect(toMap(StoreNode::pod, server -> server));
        var view = new ShardView(look.views().stream().map(Member::parse).toList(), servers);
        var shape = new ShardShape(view, look.placement(), managed.primaries(), managed.copies());
        var steps = new ShardPlan(view, shape, new Succession(view, shape)).next();
        var trouble = take(steps, view, login);
        var report = new ShardReport(
                view.unreachable().cardinality(),
                steps.stream().findFirst().map(Step::words),
                managed.pods(),
                steps.isEmpty() ? new Departure(view, shape).kept() : Departure.UNKNOWN,
                trouble);
        reports.put(ResourceID.fromResource(primary), report);
        return report;
    }

    /** Of so many pods, where there should be that many: how many have to be there until it was seen that nobody needs what is in the others. */
    public int kept(SessionCluster primary, int there, int wanted) {
        return lastReport(primary)
                .filter(report -> report.pods() == wanted)
                .map(report -> Math.min(there, report.kept()))
                .orElse(there);
    }

    public Optional<ShardReport> lastReport(SessionCluster primary) {
        return Optional.ofNullable(reports.get(ResourceID.fromResource(primary)));
    }

    public void forget(SessionCluster primary) {
        reports.remove(ResourceID.fromResource(primary));
    }

    private Optional<String> take(List<Step> steps, ShardView view, Login login) {
        var until = clock.instant().plus(AT_ONCE);
        var hand = new ShardHand(connections, login, clock);
        for (var step : steps) {
            try {
                hand.take(step, view.present(), until);
            } catch (StoreException e) {
                LOG.infof("%s: %s; looked at again soon", step.words(), e.getMessage());
                return Optional.of(step.words() + ": " + e.getMessage());
            }
            if (clock.instant().isAfter(until)) {
                break;
            }
        }
        return Optional.empty();
    }
}
