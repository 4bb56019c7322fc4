package dev.sojourn.agent.tomcat;

/** The session cannot be had now, see {@link BusyValve}; the application cannot go on, and the client is told to come again. */
final class SessionBusy extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SessionBusy(String context) {
        super("sojourn: this session cannot be had now: context=" + context
                + "; the store is away, or, with concurrency=exclusive, another request did not end in time");
    }
}
