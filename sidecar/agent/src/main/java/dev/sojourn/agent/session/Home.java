package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Sidecar;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What all sessions of one web application share. */
public final class Home {
    private final Supplier<String> label;
    final Sidecar sidecar;
    final Serializer serializer;
    final Requests requests;
    final Backlog backlog;
    final Notes notes;
    final Groups groups;
    /** What an answer that no thread waits for is taken with. */
    Executor late;
    /** So long who reads an object waits for another thread to tell it that it is here. */
    long patienceNanos = TimeUnit.SECONDS.toNanos(1);

    /** {@code label} names the application in log lines; it may not be known yet. */
    public Home(
            Supplier<String> label,
            Sidecar sidecar,
            Serializer serializer,
            Requests requests,
            Backlog backlog,
            Groups groups) {
        this.label = label;
        this.sidecar = sidecar;
        this.serializer = serializer;
        this.requests = requests;
        this.backlog = backlog;
        this.notes = backlog.notes;
        this.groups = groups;
        this.late = backlog.late;
    }

    String label() {
        return label.get();
    }
}
