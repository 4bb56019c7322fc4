package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.inject.WebhookReady;
import dev.sojourn.operator.status.Words;
import dev.sojourn.operator.store.StoreRollout;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.health.Readiness;
import org.jboss.logging.Logger;

/** Counts the pods that the webhook never saw, and evicts those that {@link Watchdog} and {@link StoreRollout} name. */
@ApplicationScoped
public class Evictions {

    private static final Logger LOG = Logger.getLogger(Evictions.class);

    private final KubernetesClient client;
    private final WebhookReady webhook;
    private final Events events;
    private final InstantSource clock = InstantSource.system();
    private final Map<ResourceID, Long> missed = new ConcurrentHashMap<>();

    /** Lost with the operator: the next one begins with one eviction, and then knows whether it helped. */
    private final Map<ResourceID, Watchdog.Eviction> last = new ConcurrentHashMap<>();

    public Evictions(KubernetesClient client, @Readiness WebhookReady webhook, Events events, MeterRegistry metrics) {
        this.client = client;
        this.webhook = webhook;
        this.events = events;
        Gauge.builder(
                        "sojourn.pods.not.injected",
                        missed,
                        counts -> counts.values().stream()
                                .mapToLong(Long::longValue)
                                .sum())
                .description("Pods that started without the sidecar, because nobody answered the webhook")
                .register(metrics);
    }

    void count(SessionCluster primary, Observation seen) {
        missed.put(
                ResourceID.fromResource(primary),
                seen.pods().stream().filter(InjectedPod::missed).count());
    }

    void evictOne(SessionCluster primary, Observation seen) {
        var id = ResourceID.fromResource(primary);
        var before = Optional.ofNullable(last.get(id));
        Watchdog.next(primary, seen, webhook.readySince(), before, clock.instant())
                .filter(pod -> evict(primary, pod.name(), pod.uid(), "spec.injection.watchdog"))
                .ifPresent(pod -> {
                    last.put(id, Watchdog.eviction(pod, seen, before, clock.instant()));
                    events.normal(
                            primary,
                            "PodEvicted",
                            pod.name() + ": started without the sidecar; the next one gets it"
                                    + " (spec.injection.watchdog: Evict)");
                });
    }

    /**
     * Also while a spec is refused: what an accepted one began goes on.
     *
     * @param busy slots or replicas of a sharded store are on their way
     */
    void rollStore(SessionCluster primary, Observation seen, boolean busy) {
        seen.storeRollout()
                .flatMap(rollout -> rollout.next(busy))
                .filter(pod -> evict(primary, pod.name(), pod.uid(), "spec.store.managed"))
                .ifPresent(pod -> events.normal(
                        primary, "StorePodEvicted", pod.name() + ": made anew, as the store's template is now"));
    }

    void forget(SessionCluster primary) {
        missed.remove(ResourceID.fromResource(primary));
        last.remove(ResourceID.fromResource(primary));
    }

    /** A second budget over the same pods is an error for good, with 500; what a policy says no to is forbidden too. */
    private void tell(SessionCluster primary, String pod, String field, KubernetesClientException e) {
        var why = Words.of(e);
        if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
            events.warning(
                    primary,
                    "EvictionForbidden",
                    field + ": " + pod + " has to be made anew, and the operator may not evict it: " + why
                            + "; its chart's ClusterRole has pods/eviction: create");
        } else {
            events.warning(
                    primary,
                    "EvictionFailed",
                    field + ": " + pod + " has to be made anew and cannot be evicted: " + why);
        }
    }

    private boolean evict(SessionCluster primary, String pod, String uid, String field) {
        var namespace = primary.getMetadata().getNamespace();
        try {
            var granted = PodEviction.ask(client, namespace, pod, uid);
            LOG.infof("eviction of namespace=%s pod=%s granted=%s", namespace, pod, granted);
            return granted;
        } catch (KubernetesClientException e) {
            // Nothing else waits for it: the status names the pod, and the next look asks again.
            LOG.warnf("eviction of namespace=%s pod=%s failed: %s", namespace, pod, e.getMessage());
            tell(primary, pod, field, e);
            return false;
        }
    }
}
