package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Somebody who comes to the same node all the time, where each click counts one up. */
final class Clicker {
    private static final long PAUSE_MILLIS = 50;

    final String name;
    final Browser browser = new Browser();
    private final TomcatNode node;
    private final Future<Void> work;
    private volatile boolean over;
    private volatile int count;
    private volatile long longestNanos;

    Clicker(String name, TomcatNode node, ExecutorService threads) {
        this.name = name;
        this.node = node;
        work = threads.submit(this::work);
    }

    private Void work() throws Exception {
        while (!over) {
            click(node);
            // As a user takes a breath; else they would take all of the machine from the nodes.
            Thread.sleep(PAUSE_MILLIS);
        }
        return null;
    }

    /** Once more, at any node; not while it works. */
    void click(TomcatNode at) throws Exception {
        int next = count + 1;
        long began = System.nanoTime();
        HttpResponse<String> answer = browser.response(at, "/app", "op=count&name=n");
        longestNanos = Math.max(longestNanos, System.nanoTime() - began);
        assertEquals("200: " + next, answer.statusCode() + ": " + answer.body(), name);
        count = next;
    }

    /** What was answered last; fails if anything was answered wrong. */
    int count() throws Exception {
        if (work.isDone()) {
            stop();
        }
        return count;
    }

    /** After the answer to the last click. */
    void stop() throws Exception {
        over = true;
        work.get(1, TimeUnit.MINUTES);
    }

    /** Whatever comes of the click that is under way. */
    void leave() {
        over = true;
    }

    TomcatNode node() {
        return node;
    }

    @Override
    public String toString() {
        return name + " " + count + " (" + TimeUnit.NANOSECONDS.toMillis(longestNanos) + " ms)";
    }
}
