package dev.sojourn.operator.leader;

import dev.sojourn.operator.config.OperatorConfig;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Until when the lease has to be renewed. The framework's own deadline is looked at between two attempts, and counts from the end of the last
 * one that went well: an attempt is two calls, each of which may wait for a connection, then for the answer, and be tried again, so that
 * one that hangs ends long after another operator has taken the lease. This one waits for nobody, and counts from the time that the lease
 * says, as the others do.
 */
@Singleton
public class RenewDeadline implements Interceptor {

    private static final Logger LOG = Logger.getLogger(RenewDeadline.class);

    /** Others may take the lease 5 s later: for clocks that differ, and for what is under way to end. */
    static final Duration AFTER = LeaderElectionConfiguration.RENEW_DEADLINE_DEFAULT_VALUE;

    private static final String GROUP = "/apis/coordination.k8s.io/";

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(RenewDeadline::thread);
    private final OperatorConfig config;
    private final Framework framework;
    private final Duration after;
    private @Nullable ScheduledFuture<?> deadline;

    @Inject
    public RenewDeadline(OperatorConfig config, Framework framework) {
        this(config, framework, AFTER);
    }

    RenewDeadline(OperatorConfig config, Framework framework, Duration after) {
        this.config = config;
        this.framework = framework;
        this.after = after;
    }

    private static Thread thread(Runnable timer) {
        var thread = new Thread(timer, "renew-deadline");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        if (response.isSuccessful()) {
            renewal(request).ifPresent(this::postpone);
        }
    }

    /** The time that a lease of ours was renewed at, if that is what was asked for. */
    private Optional<ZonedDateTime> renewal(HttpRequest request) {
        return Optional.of(request)
                .filter(one ->
                        !"GET".equals(one.method()) && one.uri().getPath().contains(GROUP))
                .map(HttpRequest::bodyString)
                .map(body -> Serialization.unmarshal(body, Lease.class).getSpec())
                .filter(spec -> LeaderElection.identity(config).equals(spec.getHolderIdentity()))
                .map(LeaseSpec::getRenewTime);
    }

    private synchronized void postpone(ZonedDateTime renewed) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        var left = Duration.between(ZonedDateTime.now(renewed.getZone()), renewed.plus(after));
        deadline = timer.schedule(this::miss, left.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void miss() {
        LOG.warnf("the lease was not renewed for %d s: another one may lead soon", after.toSeconds());
        framework.leaseLost();
    }
}
