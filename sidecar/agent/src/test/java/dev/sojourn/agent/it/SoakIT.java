package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Hours of use, in as many seconds as one has ({@code -Dsoak.seconds}): what the agent takes of its JVM must not grow. */
class SoakIT {
    private static final int WORKERS = 3;
    private static final int SAMPLES = 15;
    private static final int ENOUGH = 100;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong done = new AtomicLong();

    @Test
    void aTomcatTakesNoMoreTheLongerItRuns() throws Exception {
        Duration all = Duration.ofSeconds(Integer.getInteger("soak.seconds", 12));
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        try (Pods pods = new Pods("soak", new StockTomcat("10.1.54", true))) {
            // Else expired sessions wait for their turn, the more of them the faster the machine is.
            Daemon daemon = pods.daemon("a", Map.of("SOJOURN_BACKGROUND_RATE", "5000"));
            TomcatNode node = pods.tomcat("a", daemon.socket, Release.THIS, "memory.idle=1s")
                    .awaitStarted();
            List<Future<Void>> work = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                work.add(workers.submit(worker(node)));
            }
            // Classes are loaded and pools are filled first.
            Eventually.holds("there is a load", Nodes.SOON.multipliedBy(3), () -> done.get() > ENOUGH);
            List<Footprint> series = new ArrayList<>();
            long begin = System.nanoTime();
            for (int i = 0; i < SAMPLES; i++) {
                long at = begin + all.dividedBy(SAMPLES).multipliedBy(i).toNanos();
                Eventually.holds("it is time", all.plus(Nodes.SOON), () -> System.nanoTime() >= at);
                series.add(Footprint.of(node.pid()));
            }
            over.set(true);
            for (Future<Void> each : work) {
                each.get(60, TimeUnit.SECONDS);
            }
            System.out.println("soak: " + done + " rounds, " + series);
            assertTrue(daemon.requests("commit") > ENOUGH, "there was no load");
            Footprint.assertNoGrowth(series);
        } finally {
            over.set(true);
            workers.shutdownNow();
        }
    }

    private Callable<Void> worker(TomcatNode node) {
        return () -> {
            while (!over.get()) {
                round(node);
                done.incrementAndGet();
            }
            return null;
        };
    }

    /** The life of one session; one of four is left to its time-out. */
    private void round(TomcatNode node) throws Exception {
        Browser user = new Browser();
        user.get(node, "op=set&name=user&value=Ann");
        user.get(node, "op=fill&name=large&value=20000");
        List<CompletableFuture<HttpResponse<String>>> together = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            together.add(user.later(node, "op=append&name=list" + i + "&value=x"));
        }
        for (CompletableFuture<HttpResponse<String>> each : together) {
            assertEquals(200, each.get(60, TimeUnit.SECONDS).statusCode());
        }
        user.get(node, "op=append&name=list0&value=y");
        user.get(node, "op=bound&name=bound&value=" + done);
        user.get(node, "op=rotate");
        assertEquals("[x, y]", user.get(node, "op=get&name=list0"));
        user.get(node, "op=remove&name=list0");
        new Browser().get(node, "op=has");
        user.get(node, done.get() % 4 == 0 ? "op=timeout&value=1" : "op=invalidate");
    }
}
