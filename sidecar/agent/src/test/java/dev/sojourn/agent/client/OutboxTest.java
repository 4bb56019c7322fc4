package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sojourn.agent.core.Wordless;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose turn it is to write. */
class OutboxTest {
    private final List<String> written = Collections.synchronizedList(new ArrayList<>());
    private final List<Runnable> meanwhile = new ArrayList<>();
    private int pauses;

    private final Outbox outbox = new Outbox(this::write, new Pause(() -> {
        pauses++;
        if (!meanwhile.isEmpty()) {
            meanwhile.remove(0).run();
        }
    }));

    private void write(RequestEncoder requests) {
        String all = new String(requests.buffer(), 0, requests.length(), StandardCharsets.US_ASCII);
        written.add(all.replaceAll("[^a-z]", ""));
    }

    private static RequestEncoder said(String word) {
        RequestEncoder request = new RequestEncoder();
        request.bulk(word.getBytes(StandardCharsets.US_ASCII));
        return request;
    }

    private void say(String word) {
        try {
            outbox.send(said(word));
        } catch (IOException | OutOfMemoryError e) {
            // Thrown on, the last of them would stop all tests.
            throw new AssertionError(e);
        }
    }

    /** Where each of them paused, a request took half as much processor time again. */
    @Test
    void whoSpeaksWhileAnotherIsAboutToWriteLeavesItToThatOneAndDoesNotPause() {
        meanwhile.add(() -> {
            say("b");
            say("c");
        });
        say("a");
        assertEquals(List.of("abc"), written);
        assertEquals(1, pauses);
    }

    @Test
    void theNextOneWritesAgain() {
        say("a");
        say("b");
        assertEquals(List.of("a", "b"), written);
    }

    /** Until JDK 24: who waits with a monitor keeps the core that the pausing one would go on on. */
    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nobodyWaitsForTheTurnOfAVirtualThread() throws Exception {
        meanwhile.add(() -> {
            say("b");
            assertEquals(List.of("ab"), written);
        });
        Thread virtual = new Thread(new ThreadGroup("VirtualThreads"), () -> say("a"));
        virtual.start();
        virtual.join();
        assertEquals(List.of("ab"), written);
    }

    /** Who was told that it failed would see it done by whoever writes next. */
    @Test
    void whoseTurnCannotBeGivenToOthersForWantOfMemoryWritesAtOnce() {
        meanwhile.add(() -> {
            throw new OutOfMemoryError("of a test");
        });
        say("a");
        assertEquals(List.of("a"), written);
    }

    /** Without memory for a word about it, too. */
    @Test
    void oneWhoCannotWriteSaysSoAndNobodyWritesAfterIt() {
        var fails = new Outbox(
                requests -> {
                    throw new Wordless();
                },
                new Pause(() -> {}));
        assertThrows(IOException.class, () -> fails.send(said("a")));
        assertDoesNotThrow(() -> fails.send(said("b")));
    }

    /** An application that is too deep already: nobody else would write, and all would wait until their answers are overdue. */
    @Test
    void norDoesAnybodyWaitForOneWhoDoesNotEvenBeginToWrite() {
        meanwhile.add(() -> {
            throw new StackOverflowError("of a test");
        });
        assertThrows(IOException.class, () -> outbox.send(said("a")));
    }

    @Test
    void nobodyWritesOnceItIsClosed() {
        outbox.close();
        say("a");
        assertEquals(List.of(), written);
    }
}
