package dev.sojourn.agent.session;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Opened;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A request holds the monitor of an object that another pod's commit has come for, and flushes: whoever compares that object waits for it. */
class BehindTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);
    private final Guarded guarded = new Guarded();

    @Test
    void whoHasItFlushesWhileAnotherRequestOpensTheSession() {
        bounded(() -> {
            Thread other = new Thread(a::open);
            flushWhileCompared(other);
        });
    }

    @Test
    void whoHasItFlushesWhileAnotherRequestCommits() {
        bounded(() -> {
            Thread other = new Thread(() -> {
                a.session.set("x", "1");
                a.session.commit();
            });
            flushWhileCompared(other);
        });
    }

    /** More is known by then than the answer tells. */
    @Test
    void whoHasItFlushesWhileAnotherRequestsAnswerComesLate() {
        bounded(() -> {
            a.request(() -> a.session.set("guarded", guarded));
            CountDownLatch sent = new CountDownLatch(1);
            CountDownLatch held = new CountDownLatch(1);
            a.request(() -> {
                guarded.count = 1;
                Thread other = new Thread(() -> {
                    a.session.set("guarded", guarded);
                    a.session.commit();
                });
                store.meanwhile = () -> {
                    store.meanwhile = () -> {};
                    long base = a.session.version();
                    a.session.told(opened(base + 2, new Guarded()), base);
                    sent.countDown();
                    await(held);
                };
                other.start();
                await(sent);
                synchronized (guarded) {
                    guarded.written = new CountDownLatch(1);
                    held.countDown();
                    await(guarded.written);
                    // What was told of above.
                    commitOfB(5);
                    flush();
                }
                join(other);
            });
        });
    }

    /** What was found out after all. */
    @Test
    void whatWasChangedHereIsSentAndWhatWasNotIsTheOthers() {
        a.request(() -> a.session.set("guarded", guarded));
        a.request(() -> {
            commitOfB(7);
            a.session.set("user", "Ann");
            a.bytes(false);
            assertEquals(7, ((Guarded) a.get("guarded")).count);
            Guarded theirs = (Guarded) a.get("guarded");
            commitOfB(8);
            theirs.count = 9;
            a.session.set("user", "Ben");
        });
        b.request(() -> assertEquals(9, ((Guarded) b.get("guarded")).count));
    }

    @Test
    void whatIsBeingChangedHereWhileItIsComparedIsSent() {
        a.request(() -> a.session.set("guarded", guarded));
        a.request(() -> {
            guarded.count = 5;
            guarded.torn = true;
            commitOfB(7);
            a.open();
            guarded.count = 6;
            guarded.torn = false;
        });
        b.request(() -> assertEquals(6, ((Guarded) b.get("guarded")).count));
    }

    /** Not for ever. */
    @Test
    void anObjectThatReadsAndFlushesItselfWhileItIsComparedIsComparedOnce() {
        bounded(() -> {
            Meddler[] meddler = new Meddler[1];
            meddler[0] = new Meddler(() -> {});
            a.request(() -> a.session.set("guarded", meddler[0]));
            a.request(() -> {
                commitOfB(7);
                meddler[0].what = () -> {
                    assertEquals(meddler[0], a.get("guarded"));
                    a.session.compareBehind();
                    a.session.commit();
                };
                a.open();
                assertEquals(7, ((Guarded) a.get("guarded")).count);
            });
            assertTrue(a.session.isEvictable());
        });
    }

    /** By a request of which whoever compares it knows nothing. */
    @Test
    void whatIsChangedAndSetAgainWhileItIsComparedIsSent() {
        Touched touched = new Touched(1);
        a.request(() -> a.session.set("it", touched));
        a.request(() -> {
            b.request(() -> b.session.set("it", new Touched(7)));
            touched.then = () -> {
                touched.then = null;
                touched.count = 9;
                a.session.set("it", touched);
            };
            a.open();
        });
        b.request(() -> assertEquals(9, ((Touched) b.get("it")).count));
    }

    @Test
    void whatIsSetAgainUnchangedWhileItIsComparedIsTheOthers() {
        Touched touched = new Touched(1);
        a.request(() -> a.session.set("it", touched));
        a.request(() -> {
            b.request(() -> b.session.set("it", new Touched(7)));
            touched.then = () -> {
                touched.then = null;
                a.session.set("it", touched);
            };
            a.open();
            assertEquals(7, ((Touched) a.get("it")).count);
        });
        b.request(() -> assertEquals(7, ((Touched) b.get("it")).count));
    }

    @Test
    void whatIsSetAgainEachTimeThatItIsComparedIsNotComparedForEver() {
        bounded(() -> {
            Touched touched = new Touched(1);
            a.request(() -> a.session.set("it", touched));
            a.request(() -> {
                b.request(() -> b.session.set("it", new Touched(7)));
                touched.then = () -> a.session.set("it", touched);
                a.open();
                assertEquals(touched, a.get("it"));
            });
            b.request(() -> assertEquals(1, ((Touched) b.get("it")).count));
        });
    }

    private void flushWhileCompared(Thread other) {
        a.request(() -> a.session.set("guarded", guarded));
        a.request(() -> {
            commitOfB(7);
            guarded.written = new CountDownLatch(1);
            synchronized (guarded) {
                other.start();
                await(guarded.written);
                flush();
            }
            join(other);
            assertEquals(7, ((Guarded) a.get("guarded")).count);
        });
        b.request(() -> assertEquals("Ann", b.get("user")));
    }

    private void flush() {
        a.session.set("user", "Ann");
        a.bytes(false);
    }

    private void commitOfB(int count) {
        b.request(() -> {
            Guarded theirs = new Guarded();
            theirs.count = count;
            b.session.set("guarded", theirs);
        });
    }

    private static void bounded(Runnable test) {
        assertTimeoutPreemptively(Duration.ofSeconds(30), test::run);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Opened opened(long version, Guarded value) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            value.count = 5;
            out.writeObject(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Opened(
                version, 1, 1, 1_800, new Changes(false, List.of(new Change("guarded", bytes.toByteArray()))));
    }
}
