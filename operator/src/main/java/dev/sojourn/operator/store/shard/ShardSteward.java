package dev.sojourn.operator.store.shard;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.store.StoreConnections;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreException;
import dev.sojourn.operator.store.StoreSecret;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/** Leads a sharded store to what its spec says: looks, takes the next step, and is called again. */
@ApplicationScoped
public class ShardSteward {

    private static final Logger LOG = Logger.getLogger(ShardSteward.class);

    /** A reconciliation holds a thread no longer; moving goes on in the next. */
    private static final Duration AT_ONCE = Duration.ofSeconds(4);

    private final StoreConnections connections;
    private final InstantSource clock = InstantSource.system();
    private final Map<String, ShardReport> reports = new ConcurrentHashMap<>();

    public ShardSteward(StoreConnections connections) {
        this.connections = connections;
    }

    /** Looks, and does what is to be done next. */
    public ShardReport tend(SessionCluster primary, ManagedStoreSpec managed, Secret secret, List<Pod> pods) {
        var login = new Login(StoreSecret.SYSTEM, decoded(secret, StoreSecret.SYSTEM_PASSWORD));
        var views = new ArrayList<List<Member>>();
        for (var pod : pods) {
            look(pod, login).ifPresent(views::add);
        }
        var view = new ShardView(views);
        var steps = new ShardPlan(view, nodes(pods), managed.primaries(), managed.copies()).next();
        var trouble = take(steps, view, login);
        var report = new ShardReport(
                view.unserved().cardinality(),
                steps.stream().findFirst().map(ShardSteward::words),
                managed.pods(),
                isDrained(view, managed.pods()),
                trouble);
        reports.put(key(primary), report);
        return report;
    }

    /** Who sees not all slots knows nothing of those that may be in a pod that is to go. */
    private static boolean isDrained(ShardView view, int pods) {
        return view.unserved().isEmpty()
                && view.members().stream()
                        .filter(member -> ShardView.ordinal(member) >= pods)
                        .allMatch(member -> member.slotCount() == 0);
    }

    /** Whether all pods beyond this number may be taken away: not before it was seen that nothing is left in them. */
    public boolean isDrained(SessionCluster primary, int pods) {
        return lastReport(primary)
                .filter(report -> report.pods() == pods && report.drained())
                .isPresent();
    }

    public Optional<ShardReport> lastReport(SessionCluster primary) {
        return Optional.ofNullable(reports.get(key(primary)));
    }

    public void forget(SessionCluster primary) {
        reports.remove(key(primary));
    }

    private Optional<List<Member>> look(Pod pod, Login login) {
        var address = pod.getStatus() == null ? null : pod.getStatus().getPodIP();
        if (address == null) {
            return Optional.empty();
        }
        try (var session = connections.open(address + ":" + Names.STORE_PORT, login, 1)) {
            var nodes = session.ask(Request.cmd(Command.CLUSTER).arg("NODES"));
            return Optional.of(Member.parse(String.valueOf(nodes)));
        } catch (StoreException e) {
            LOG.debugf("pod %s is not asked: %s", pod.getMetadata().getName(), e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<String> take(List<Step> steps, ShardView view, Login login) {
        var until = clock.instant().plus(AT_ONCE);
        var hand = new ShardHand(connections, login, clock);
        for (var step : steps) {
            try {
                hand.take(step, view.present(), until);
            } catch (StoreException e) {
                LOG.infof("%s: %s; looked at again soon", words(step), e.getMessage());
                return Optional.of(words(step) + ": " + e.getMessage());
            }
            if (clock.instant().isAfter(until)) {
                break;
            }
        }
        return Optional.empty();
    }

    private static String words(Step step) {
        if (step instanceof Step.Forget forget) {
            return "forgetting " + forget.id().substring(0, 8) + ", which is gone";
        } else if (step instanceof Step.Assign assign) {
            return "giving slots to " + assign.to().pod();
        } else if (step instanceof Step.Follow follow) {
            return follow.replica().pod() + " becomes a replica of "
                    + follow.primary().pod();
        } else if (step instanceof Step.TakeOver takeOver) {
            return takeOver.replica().pod() + " takes over from its primary";
        } else if (step instanceof Step.Settle settle) {
            return "slot " + settle.slot() + " stays with " + settle.at().pod();
        } else if (step instanceof Step.Move move) {
            return "moving slots from " + move.from().pod() + " to " + move.to().pod();
        }
        throw new IllegalArgumentException(step.toString());
    }

    private static Map<String, String> nodes(List<Pod> pods) {
        return pods.stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .collect(Collectors.toMap(
                        pod -> pod.getMetadata().getName(), pod -> pod.getSpec().getNodeName()));
    }

    private static String decoded(Secret secret, String key) {
        return new String(Base64.getDecoder().decode(secret.getData().get(key)), UTF_8);
    }

    private static String key(SessionCluster primary) {
        return primary.getMetadata().getNamespace() + "/"
                + primary.getMetadata().getName();
    }
}
