package dev.sojourn.agent.it;

/** The ways in which a store can be away, and come back. */
enum StoreOutage {
    /** Nobody listens; it comes back with all that it had. */
    REFUSED("refused", "", (store, link) -> store.stop(), (store, link) -> store.start()),
    /** It comes back as it was when it was saved, a while before: as a replica that lagged behind and is the primary now. */
    BEHIND("refused", "rewound", (store, link) -> store.kill(), (store, link) -> store.start()),
    /** It comes back with nothing. */
    EMPTY("refused", "session", (store, link) -> store.kill(), (store, link) -> store.start()),
    /** It takes connections and answers nobody; then it does all that it was asked for meanwhile. */
    HANGING("timeout", "", (store, link) -> store.pause(), (store, link) -> store.resume()),
    /** It answers, later than an answer is waited for at first. */
    SLOW("timeout", "", (store, link) -> link.delay(300), (store, link) -> link.delay(0)),
    /** It takes no writes: a primary that is a replica now, of a server that is not there. */
    READ_ONLY(
            "read-only",
            "",
            (store, link) -> store.ask("REPLICAOF 127.0.0.1 " + Ports.freePort()),
            (store, link) -> store.ask("REPLICAOF NO ONE")),
    /** It takes nothing that would need room. */
    OUT_OF_MEMORY(
            "out of memory",
            "",
            (store, link) -> store.ask("CONFIG SET maxmemory 1"),
            (store, link) -> store.ask("CONFIG SET maxmemory 0"));

    interface Step {
        void take(Store store, SlowLink link) throws Exception;
    }

    /** What sidecars count of it, in {@code sojourn_store_failures_total}. */
    final String failure;
    /** What they put back after it, in {@code sojourn_refilled_total}; empty: nothing was lost. */
    final String refilled;

    final Step begin;
    final Step end;

    StoreOutage(String failure, String refilled, Step begin, Step end) {
        this.failure = failure;
        this.refilled = refilled;
        this.begin = begin;
        this.end = end;
    }
}
