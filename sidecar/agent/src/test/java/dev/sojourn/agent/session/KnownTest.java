package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Opened;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers that come in another order than their versions. */
class KnownTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    @Test
    void allThereIsAtANewerVersionIsTakenThoughMoreIsKnownByNowThanWasAskedWith() {
        a.request(() -> a.session.set("count", 1));
        long asked = a.session.version();
        a.session.told(opened(asked + 1, false, 2), asked);
        assertTrue(a.session.opened(opened(asked + 2, true, 3), asked));
        assertEquals(3, a.get("count"));
        assertTrue(a.session.opened(opened(asked + 1, true, 2), asked));
        assertEquals(3, a.get("count"), "an answer from before that");
    }

    @Test
    void allThereIsAtThisVersionIsTakenThoughWhatChangedWasTakenFirst() {
        a.request(() -> a.session.set("count", 1));
        long asked = a.session.version();
        a.session.told(new Opened(asked + 1, 1, 1, 1_800, new Changes(false, List.of())), asked);
        assertTrue(a.session.opened(opened(asked + 1, true, 3), asked));
        assertEquals(3, a.get("count"));
    }

    @Test
    void allThereIsAtAnOlderVersionTakesNothingBackThoughACommitIsAnsweredWithIt() {
        a.request(() -> a.session.set("count", 1));
        a.request(() -> {
            a.session.set("user", "Ann");
            store.forgetful = true;
            long base = a.session.version();
            store.meanwhile = () -> a.session.told(opened(base + 2, false, 3), base);
        });
        assertEquals(3, a.get("count"));
        assertEquals(3, a.session.version());
    }

    @Test
    void whatOthersHaveCommittedBeforeANewNameIsTakenThoughTheNewNamesVersionCameFirst() {
        a.request(() -> a.session.set("count", 1));
        long asked = a.session.version();
        b.request(() -> b.session.set("count", 2));
        a.session.life().rename("t");
        assertTrue(a.session.opened(opened(asked + 1, false, 2), asked));
        assertEquals(2, a.get("count"));
    }

    private static Opened opened(long version, boolean whole, int count) {
        byte[] bytes = bytes(count);
        return new Opened(version, 1, 1, 1_800, new Changes(whole, List.of(new Change("count", bytes))));
    }

    private static byte[] bytes(int count) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
