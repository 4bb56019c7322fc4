package dev.sojourn.operator.leader;

import io.javaoperatorsdk.operator.Operator;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.inject.Provider;

/**
 * What reconciles. It ends with the lease or with the process, whichever comes first; it cannot be told to by two at once, and does nothing
 * when it is told again.
 */
@ApplicationScoped
public class Framework {

    private final Provider<Operator> operator;

    /** @param operator not asked for before the end: it needs the lease to be made */
    public Framework(Provider<Operator> operator) {
        this.operator = operator;
    }

    /**
     * Another one may lead soon: what reconciles ends now, and not only after the webhook, which goes on answering for some seconds. This is
     * called within the process's end too, where the framework's own exit would wait for that end, and so for itself: for ever. By a thread
     * of our own: the framework's are interrupted, those that reconcile and the one that noticed the loss.
     */
    void leaseLost() {
        var thread = new Thread(this::stop, "lease-lost");
        thread.setDaemon(true);
        thread.start();
        Quarkus.asyncExit(1);
    }

    /** Just before it ends by itself, which would not wait for an end that is under way. */
    void stop(@Observes @Priority(ObserverMethod.DEFAULT_PRIORITY - 1) ShutdownEvent event) {
        stop();
    }

    private synchronized void stop() {
        operator.get().stop();
    }
}
