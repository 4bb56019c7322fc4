package dev.sojourn.agent.client;

/** What has become of a session that this JVM holds. */
final class News {
    /** The version that it was made of. */
    final long before;

    final Opened opened;

    News(long before, Opened opened) {
        this.before = before;
        this.opened = opened;
    }
}
