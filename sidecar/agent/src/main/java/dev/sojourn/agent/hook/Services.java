package dev.sojourn.agent.hook;

import dev.sojourn.agent.client.Address;
import dev.sojourn.agent.client.Announcements;
import dev.sojourn.agent.client.SidecarClient;
import dev.sojourn.agent.core.Config;
import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.drain.Drain;
import dev.sojourn.agent.drain.TermSignal;
import dev.sojourn.agent.session.Backlog;
import dev.sojourn.agent.session.Ends;
import dev.sojourn.agent.session.Expiries;
import dev.sojourn.agent.session.Groups;
import dev.sojourn.agent.session.Learned;
import dev.sojourn.agent.session.PassivePaths;
import dev.sojourn.agent.session.Requests;
import dev.sojourn.agent.session.StreamFilter;
import java.util.concurrent.atomic.AtomicBoolean;

/** What there is once per JVM. */
public final class Services {
    // Short, so that a sidecar that is back is noticed before the next request of most users.
    private static final long LOOK_MILLIS = 200;
    private static final long WORK_MILLIS = 500;

    public final Config config;
    public final Requests requests = new Requests();
    public final SidecarClient sidecar;
    public final Backlog backlog;
    public final Drain drain;
    public final StreamFilter filter;
    public final Groups groups;
    public final PassivePaths passivePaths;
    public final Expiries expiries;
    public final Ends ends = new Ends(System::nanoTime);

    final Address address;
    private final AtomicBoolean begun = new AtomicBoolean();

    Services(Config config) {
        this.config = config;
        this.address = Address.choose(config.socket, config.tcp, config.tokenFile);
        this.sidecar = new SidecarClient(address, config.patienceMillis, config.timeoutMillis);
        this.backlog = new Backlog(sidecar);
        this.drain = new Drain(requests, config.drainQuietMillis, config.drainDeadlineMillis, config.drainSticky);
        this.filter = StreamFilter.of(config.deserializationFilter);
        this.groups = Groups.of(config.group);
        this.passivePaths = new PassivePaths(config.passivePaths);
        this.expiries = new Expiries();
    }

    /** Not before a context serves, whoever keeps its sessions: a JVM that serves nothing gets no threads and no signal handler. */
    public void begin() {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        Chore.start("sojourn-watch", LOOK_MILLIS, sidecar::watch);
        Chore.start("sojourn-look", LOOK_MILLIS, sidecar::look);
        Chore.start("sojourn-backlog", WORK_MILLIS, () -> {
            if (!sidecar.isAway()) {
                requests.tellSet(System.nanoTime(), backlog);
                backlog.work();
            }
        });
        Chore.start(
                "sojourn-drain",
                LOOK_MILLIS,
                new Announcements(address, drain::announce, expiries::heard, ends::heard, ends::missed));
        Chore.start("sojourn-expiry", LOOK_MILLIS, expiries::work);
        Chore.start("sojourn-ends", LOOK_MILLIS, ends::work);
        Learned learned = filter.learned();
        if (learned != null) {
            Log.warn("learning which classes sessions need: not for production, every value is read back once more");
            Chore.start("sojourn-learn", WORK_MILLIS, learned::save);
        }
        TermSignal.install(drain);
    }
}
