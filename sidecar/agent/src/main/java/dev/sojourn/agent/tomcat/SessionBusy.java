package dev.sojourn.agent.tomcat;

/**
 * The session cannot be had now, see {@link BusyValve}; the application cannot go on, and the client is told to come again. Without a stack trace: it comes with each request
 * of an outage, wherever the application asks for its session, and each layer that it passes may log all of it.
 */
final class SessionBusy extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SessionBusy(String context) {
        super("sojourn: this session cannot be had now, the client is answered 503 and told to come again: context="
                + context
                + "; the sidecar or its store is away (the sidecar's log says why), or, with concurrency=exclusive,"
                + " another request did not end in time");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
