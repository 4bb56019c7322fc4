package dev.sojourn.agent.tomcat;

/** Another request has the session for itself; the application cannot go on, and the client is told to come again. */
final class SessionBusy extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SessionBusy(String context) {
        super("sojourn: another request of this session is at work, and did not end in time: context=" + context
                + " (concurrency=exclusive)");
    }
}
