package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Names that the sidecar refuses a whole commit for. */
class AttributeNameTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);

    @Test
    void oneThatNoCommitCanCarryStaysHereAndTheRestLeaves() {
        for (int i = 0; i < 2; i++) {
            String user = "Ann" + i;
            a.request(() -> {
                a.session.set("\0", user);
                a.session.set("\ud800", user);
                a.session.set("user", user);
            });
        }
        assertEquals(List.of("COMMIT 0 +user", "OPEN 1", "COMMIT 1 +user"), store.asked);
        a.request(() -> assertEquals("Ann1", a.get("\0")));
        a.backlog.work();
        assertEquals(
                Set.of(
                        "NOTE unserializable /test \0 java.lang.String",
                        "NOTE unserializable /test \ud800 java.lang.String"),
                store.asked.stream().filter(line -> line.startsWith("NOTE")).collect(Collectors.toSet()));
    }

    @Test
    void allOthersCanBeCarried() {
        for (String name : List.of("", "user", "\0principal", "\u00e9", "\ud83d\ude00", "a\0")) {
            assertTrue(AttributeName.canTravel(name), Attribute.printable(name));
        }
        for (String name : List.of("\0", "x\ud83d", "\ude00\ud83d")) {
            assertFalse(AttributeName.canTravel(name), Attribute.printable(name));
        }
    }
}
