package dev.sojourn.operator.cert;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.inject.WebhookServer;
import dev.sojourn.operator.owner.OwnDeployment;
import dev.sojourn.operator.secret.SecretData;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the webhook's certificate. Every replica does, leader or not: whoever writes the Secret first wins, the others read it. So a
 * standby is ready before it ever leads, and a lost leader leaves no expired certificate behind. Where cert-manager keeps it we only
 * read it.
 */
@ApplicationScoped
public class Certificates {

    private static final Logger LOG = Logger.getLogger(Certificates.class);

    /** Also how soon a caBundle that somebody took away is back. */
    private static final long PERIOD_SECONDS = 10;

    private final KubernetesClient client;
    private final OperatorConfig config;
    private final OwnDeployment own;
    private final WebhookServer server;
    private final InstantSource clock = InstantSource.system();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(run -> {
        var thread = new Thread(run, "certificates");
        thread.setDaemon(true);
        return thread;
    });
    private volatile @Nullable KeyPairPem loaded;
    private boolean adoptionTried;

    public Certificates(
            KubernetesClient client,
            OperatorConfig config,
            OwnDeployment own,
            WebhookServer server,
            MeterRegistry metrics) {
        this.client = client;
        this.config = config;
        this.own = own;
        this.server = server;
        Gauge.builder("sojourn.webhook.certificate.expiry.timestamp.seconds", this, Certificates::endSeconds)
                .description("when the webhook's certificate ends, in seconds since 1970")
                .register(metrics);
    }

    /** Of the certificate that is served, not of the one that is stored: that is what API servers see. */
    private double endSeconds() {
        var leaf = loaded;
        return leaf == null
                ? Double.NaN
                : Pem.certificate(leaf.certificate()).getNotAfter().getTime() / 1000.0;
    }

    public boolean areLoaded() {
        return loaded != null;
    }

    void start(@Observes StartupEvent event, LaunchMode mode) {
        if (mode == LaunchMode.NORMAL) {
            timer.scheduleWithFixedDelay(this::keepQuietly, 0, PERIOD_SECONDS, TimeUnit.SECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        timer.shutdownNow();
    }

    private void keepQuietly() {
        try {
            keep();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                LOG.info("another replica was faster to write the certificate, it is read next");
            } else {
                LOG.warnf("certificate not kept secret=%s: %s", config.webhook().secret(), e.getMessage());
            }
        } catch (RuntimeException e) {
            // Tried again in 10 s: a certificate is renewed ten days before its end.
            LOG.warnf("certificate not kept secret=%s: %s", config.webhook().secret(), e.getMessage());
        }
    }

    private void keep() {
        var name = config.webhook().secret();
        var resource = client.secrets().inNamespace(config.namespace()).withName(name);
        var stored = resource.get();
        if (!config.webhook().ownCertificate()) {
            provided(stored);
            return;
        }
        var current = stored == null ? Optional.<WebhookSecret>empty() : decode(stored);
        if (current.isEmpty()) {
            write(stored, WebhookSecret.first(dnsNames(), clock.instant()));
            LOG.infof("certificate authority made secret=%s", name);
            keep();
            return;
        }
        var secret = current.get();
        load(secret.leaf());
        var published = publish(secret.bundle());
        secret.next(published, dnsNames(), clock.instant()).ifPresent(next -> {
            write(stored, next);
            LOG.infof("certificate renewed %s", next);
        });
        if (stored != null && stored.getMetadata().getOwnerReferences().isEmpty() && !adoptionTried) {
            // Once: where there is no owner, or no right to name one, there is none in ten seconds either.
            adoptionTried = true;
            own.adopt("the Secret " + name, resource);
        }
    }

    private void provided(@Nullable Secret stored) {
        KeyPairPem.of(stored == null ? null : stored.getData())
                .ifPresentOrElse(
                        this::load,
                        () -> LOG.warnf(
                                "no certificate yet secret=%s, no pod is injected; see kubectl -n %s describe certificate",
                                config.webhook().secret(), config.namespace()));
    }

    private void load(KeyPairPem leaf) {
        if (leaf.equals(loaded)) {
            return;
        }
        server.serveWith(leaf)
                .onSuccess(x -> {
                    loaded = leaf;
                    LOG.infof(
                            "certificate loaded until=%s",
                            Pem.certificate(leaf.certificate()).getNotAfter());
                })
                .onFailure(error -> LOG.error("certificate not loaded", error));
    }

    /** Whether every webhook of our registration now trusts the bundle. */
    private boolean publish(String bundle) {
        var configurations = client.admissionRegistration().v1().mutatingWebhookConfigurations();
        var resource = configurations.withName(config.webhook().configuration());
        var registration = resource.get();
        if (registration == null) {
            LOG.warnf(
                    "no MutatingWebhookConfiguration name=%s, no pod is injected",
                    config.webhook().configuration());
            return false;
        }
        var encoded = SecretData.encode(bundle);
        var isThere = registration.getWebhooks().stream()
                .allMatch(webhook -> encoded.equals(webhook.getClientConfig().getCaBundle()));
        if (!isThere) {
            resource.patch(PatchContext.of(PatchType.JSON), patch(registration, encoded));
            LOG.infof("caBundle published configuration=%s", config.webhook().configuration());
        }
        return isThere;
    }

    private static String patch(MutatingWebhookConfiguration registration, String bundle) {
        var operations = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < registration.getWebhooks().size(); i++) {
            ObjectNode operation = operations.addObject();
            operation
                    .put("op", "add")
                    .put("path", "/webhooks/" + i + "/clientConfig/caBundle")
                    .put("value", bundle);
        }
        return operations.toString();
    }

    /** Refused by the API server if somebody else was faster; theirs is then read with the next round. */
    private void write(@Nullable Secret stored, WebhookSecret secret) {
        if (stored == null) {
            var metadata = new ObjectMetaBuilder()
                    .withName(config.webhook().secret())
                    .withNamespace(config.namespace())
                    .addToLabels(Names.MANAGED_BY_LABEL, Names.MANAGER)
                    .withOwnerReferences(own.reference().stream().toList())
                    .build();
            client.resource(secret.object(metadata)).create();
        } else {
            client.resource(secret.object(stored.getMetadata())).update();
        }
    }

    /** Empty also when something is missing or broken: then it is made anew. */
    private static Optional<WebhookSecret> decode(Secret secret) {
        try {
            return WebhookSecret.of(secret.getData());
        } catch (IllegalArgumentException e) {
            LOG.warnf(
                    "certificate unreadable secret=%s: %s", secret.getMetadata().getName(), e.getMessage());
            return Optional.empty();
        }
    }

    private List<String> dnsNames() {
        var service = config.webhook().service() + "." + config.namespace() + ".svc";
        return List.of(service, service + ".cluster.local");
    }
}
