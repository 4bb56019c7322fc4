package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.core.Wordless;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many requests on one connection. */
class LineTest {
    private static final CommitTerms TERMS = new CommitTerms(6, 60, 1, Opened.NO_LOCK, false);
    private static final long TICKET = 3 * PageFile.SLOTS + 5;
    private static final String COMMITTED = "*2\r\n:7\r\n*0\r\n";

    private Path folder = Path.of("");
    private FakeServer server = FakeServer.NONE;
    private SidecarClient client = new SidecarClient(Address.unix("/nowhere"), 0, 0);

    /** What came of a commit that nobody waits for. */
    private static final class Outcome extends CompletableFuture<Committed> implements CommitOutcome {
        @Override
        public void committed(Committed answer) {
            assertTrue(complete(answer), "told twice");
        }

        @Override
        public void refused(Refusal refusal) {
            assertTrue(completeExceptionally(refusal), "told twice");
        }

        @Override
        public void unknown() {
            assertTrue(cancel(false), "told twice");
        }
    }

    @BeforeEach
    void start() throws Exception {
        folder = Files.createTempDirectory("sj");
        server = new FakeServer(folder.resolve("s"), COMMITTED);
        client = new SidecarClient(Address.unix(server.path.toString()), 200, 60_000);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        Files.deleteIfExists(folder.resolve("s"));
        Files.deleteIfExists(folder.resolve("page"));
        Files.delete(folder);
    }

    /** Buildpacks allow a JVM 10 MB of it, of which a container with 200 threads had none left. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void threadsKeepNoMemoryOutsideTheHeap() throws Exception {
        List<Change> changes = List.of(new Change("a", new byte[200 << 10]));
        CyclicBarrier all = new CyclicBarrier(100);
        ExecutorService threads = Executors.newFixedThreadPool(all.getParties());
        try {
            long before = outsideTheHeap();
            List<Callable<Long>> work = Collections.nCopies(all.getParties(), () -> {
                synchronized (all) {
                    client.commit("s", TERMS, changes);
                }
                // No thread comes twice, and none has gone by then.
                all.await();
                long now = outsideTheHeap();
                all.await();
                return now;
            });
            for (Future<Long> now : threads.invokeAll(work)) {
                long more = now.get() - before;
                assertTrue(more < 2 << 20, more + " bytes more");
            }
        } finally {
            threads.shutdown();
        }
    }

    private static long outsideTheHeap() {
        List<BufferPoolMXBean> pools = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
        Stream<BufferPoolMXBean> direct =
                pools.stream().filter(pool -> pool.getName().equals("direct"));
        return direct.mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    @Test
    void everyThreadGetsItsOwnReplyThoughTheyComeInAnotherOrder() throws Exception {
        server.echo = true;
        ExecutorService threads = Executors.newFixedThreadPool(32);
        try {
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                long expected = i;
                work.add(() -> {
                    assertEquals(expected, client.rename("s", "t", expected));
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(work)) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
        assertEquals(1, server.connections());
        assertTrue(server.shuffled(), "replies never came in another order: this test shows nothing");
    }

    @Test
    void aCommitThatNobodyWaitsForIsTold() throws Exception {
        connect();
        Outcome outcome = begun();
        assertEquals(7, outcome.get().version);
    }

    @Test
    void itsRefusalIsToldToo() throws Exception {
        connect();
        server.answer = "-GONE the session has ended\r\n";
        Outcome outcome = begun();
        assertEquals(Refusal.Why.GONE, refusal(outcome).why);
    }

    @Test
    void allThatIsUnderWayIsToldOfABreak() throws Exception {
        connect();
        server.answer = "";
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            outcomes.add(begun());
        }
        server.close();
        for (Outcome outcome : outcomes) {
            assertEquals(Refusal.Why.AWAY, refusal(outcome).why);
        }
        Outcome after = new Outcome();
        assertFalse(client.beginCommit("s", TERMS, Collections.emptyList(), after));
        assertFalse(after.isDone());
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whoComesJustAfterABreakIsToldOfItToo() throws Exception {
        Line line = new Line(new Connection(Address.unix(server.path.toString()), 1 << 10), null);
        line.fail(new IOException("broken"));
        RequestEncoder request = new RequestEncoder();
        Call call = new Call(null);
        long tag = line.nextTag();
        Asks.ping(request.tag(tag));
        line.send(tag, call, request);
        assertEquals("broken", assertThrows(IOException.class, call::await).getMessage());
    }

    @Test
    void oneThatCannotBeToldOfABreakKeepsItFromNobody() throws Exception {
        connect();
        server.answer = "";
        CommitOutcome fails = untold(CompletableFuture.completedFuture(true));
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            assertTrue(client.beginCommit("s", TERMS, Collections.emptyList(), fails));
            outcomes.add(begun());
        }
        server.close();
        for (Outcome outcome : outcomes) {
            Exception told = assertThrows(ExecutionException.class, () -> outcome.get(20, TimeUnit.SECONDS));
            assertInstanceOf(Refusal.class, told.getCause());
        }
    }

    /** Nobody else would tell it, and the response that waits for the commit would wait for ever. */
    @Test
    void whereThereIsNoMemoryToTellWhatBecameOfACommitItIsToldThatNobodyKnows() throws Exception {
        List<CompletableFuture<Boolean>> told = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        for (CompletableFuture<Boolean> unknown : told) {
            connect();
            if (unknown == told.get(1)) {
                server.answer = "";
            }
            assertTrue(client.beginCommit("s", TERMS, Collections.emptyList(), untold(unknown)));
            if (unknown == told.get(1)) {
                server.close();
            }
            assertTrue(unknown.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void whereTheJvmStoodStillTheAnswerIsWaitedForAnewAndNotForEver() throws Exception {
        connect();
        server.answer = "";
        Outcome outcome = begun();
        long round = TimeUnit.MILLISECONDS.toNanos(200);
        long now = System.nanoTime();
        client.watch(now);
        now += TimeUnit.SECONDS.toNanos(90);
        for (long after = 0; after < TimeUnit.SECONDS.toNanos(59); after += round) {
            client.watch(now + after);
            assertFalse(outcome.isDone(), "given up " + after + " ns later");
        }
        now += TimeUnit.SECONDS.toNanos(59);
        for (long after = 0; after < TimeUnit.SECONDS.toNanos(2); after += round) {
            client.watch(now + after);
        }
        assertTrue(outcome.isDone());
        assertEquals(Refusal.Why.AWAY, refusal(outcome).why);
    }

    @Test
    void whereTheJvmPausesAgainAndAgainItIsGivenUpAllTheSame() throws Exception {
        connect();
        server.answer = "";
        Outcome outcome = begun();
        long now = System.nanoTime();
        for (int paused = 0; paused < 60 && !outcome.isDone(); paused++) {
            for (int looks = 0; looks < 15; looks++) {
                now += TimeUnit.MILLISECONDS.toNanos(200);
                client.watch(now);
            }
            now += TimeUnit.MILLISECONDS.toNanos(1500);
            client.watch(now);
        }
        assertTrue(outcome.isDone());
        assertEquals(Refusal.Why.AWAY, refusal(outcome).why);
    }

    @Test
    void whatBecameOfASessionIsThereForWhoeverComesForItNext() throws Exception {
        PageFile page = new PageFile(folder.resolve("page"));
        server.greeting = LineTest::greeting;
        server.answer = opened(7);
        Ticket ticket = ticket();
        page.slot(TICKET, 9);
        assertFalse(ticket.saysNewest(7));
        server.tell("*1\r\n$6\r\nfuture\r\n" + news(7, 8) + news(8, 9) + news(12, 13));
        // Whatever was said before it has been read when this is answered. As long as somebody has it the ticket is the
        // same.
        assertSame(ticket, ticket());
        assertNull(ticket.after(6), "nothing was told of that");
        assertEquals(9, version(ticket.after(7)), "all at once");
        assertTrue(ticket.saysNewest(9));
        assertNull(ticket.after(7), "it is taken up once");
        assertNull(ticket.after(8));
        assertNull(ticket.after(9));
        assertEquals(13, version(ticket.after(12)), "asked for meanwhile");
    }

    @Test
    void ofManyChangesThatNobodyComesForNoneIsKept() throws Exception {
        new PageFile(folder.resolve("page"));
        server.greeting = LineTest::greeting;
        server.answer = opened(7);
        Ticket ticket = ticket();
        for (long version = 7; version < 7 + 17; version++) {
            server.tell(news(version, version + 1));
        }
        assertSame(ticket, ticket());
        assertNull(ticket.after(7));
    }

    /** The memory outside the heap of one after the other, as long as the session is held. */
    @Test
    void whoHasATicketKeepsNothingOfALineThatBroke() throws Exception {
        PageFile file = new PageFile(folder.resolve("page"));
        file.slot(TICKET, 7);
        Page page = Page.map(file.path.toFile(), System.nanoTime());
        Line line = new Line(new Connection(Address.unix(server.path.toString()), 1 << 10), page);
        Ticket ticket = line.ticket(TICKET);
        assertNotNull(ticket);
        assertTrue(ticket.saysNewest(7));
        line.fail(new IOException("broken"));
        assertFalse(ticket.saysNewest(7));
        List<WeakReference<?>> kept = List.of(new WeakReference<>(line), new WeakReference<>(page));
        line = null;
        page = null;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (kept.stream().anyMatch(each -> each.get() != null) && System.nanoTime() < deadline) {
            System.gc();
        }
        assertTrue(kept.stream().allMatch(each -> each.get() == null));
        assertFalse(ticket.saysNewest(7));
    }

    /** With what the clock says when it is asked for: a while after that it would be another boot's. */
    private static String greeting() {
        return "*4\r\n$5\r\nclock\r\n:" + System.nanoTime() + "\r\n$4\r\npage\r\n$4\r\npage\r\n";
    }

    private Ticket ticket() throws Exception {
        Opened opened = client.open("s", 0, false);
        assertNotNull(opened);
        assertNotNull(opened.ticket);
        return opened.ticket;
    }

    private static long version(@Nullable Opened opened) {
        assertNotNull(opened);
        return opened.version;
    }

    private static String opened(long version) {
        return "*6\r\n:" + version + "\r\n:1\r\n:1\r\n:60\r\n*0\r\n:" + TICKET + "\r\n";
    }

    private static String news(long before, long version) {
        return "*3\r\n$4\r\nnews\r\n:" + before + "\r\n" + opened(version);
    }

    /** Commits are begun only on a connection that is there. */
    private void connect() throws Exception {
        assertEquals(7, client.commit("s", TERMS, Collections.emptyList()).version);
    }

    /** What becomes of a commit that nobody waits for. */
    private Outcome begun() {
        Outcome outcome = new Outcome();
        assertTrue(client.beginCommit("s", TERMS, Collections.emptyList(), outcome));
        return outcome;
    }

    private static CommitOutcome untold(CompletableFuture<Boolean> unknown) {
        return new CommitOutcome() {
            @Override
            public void committed(Committed answer) {
                throw new Wordless();
            }

            @Override
            public void refused(Refusal refusal) {
                throw new Wordless();
            }

            @Override
            public void unknown() {
                unknown.complete(true);
            }
        };
    }

    private static Refusal refusal(Outcome outcome) {
        Throwable cause = assertThrows(ExecutionException.class, outcome::get).getCause();
        assertNotNull(cause);
        return (Refusal) cause;
    }
}
