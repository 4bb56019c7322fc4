package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Attributes that share objects, and pods that do not know it. */
class GroupsTest {
    private static final Groups VIEW = Groups.of("view.*, tree ; other");

    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store, VIEW);
    private final Node b = new Node(store, VIEW);
    private final Node plain = new Node(store);

    @Test
    void patternsAreTextsWithStars() {
        assertEquals("\0group:view.*,tree", VIEW.nameFor("view.x"));
        assertEquals("\0group:view.*,tree", VIEW.nameFor("tree"));
        assertEquals("\0group:other", VIEW.nameFor("other"));
        assertNull(VIEW.nameFor("viewx"));
        assertNull(VIEW.nameFor("trees"));
        assertNull(Groups.of(" ; ,").nameFor("x"));
        assertEquals("\0group:*.ViewMap", Groups.of("*.ViewMap").nameFor("com.sun.faces.ViewMap"));
    }

    @Test
    void whatWasOneObjectIsOneObjectElsewhere() {
        setShared();
        assertEquals(List.of("COMMIT 0 +~group:view.*,tree"), store.asked);
        b.request(() -> {
            assertSame(b.get("view.x"), b.get("tree"));
            list(b.get("tree")).add("y");
        });
        a.request(() -> assertEquals(List.of("x", "y"), a.get("view.x")));
        assertEquals(Set.of("view.x", "tree"), a.session.names());
    }

    @Test
    void anUnchangedGroupIsNotSent() {
        setShared();
        store.asked.clear();
        b.request(() -> b.get("tree"));
        a.request(() -> a.get("tree"));
        assertEquals(List.of("OPEN 0", "OPEN 1"), store.asked);
    }

    @Test
    void theLastMemberTakesTheGroupAlong() {
        setShared();
        b.request(() -> b.session.remove("tree"));
        a.request(() -> assertEquals(Set.of("view.x"), a.session.names()));
        a.request(() -> assertEquals(List.of("x"), a.session.remove("view.x")));
        assertEquals("COMMIT 2 -~group:view.*,tree", store.asked.get(store.asked.size() - 1));
        b.request(() -> assertEquals(Set.of(), b.session.names()));
    }

    @Test
    void aPodWithoutTheSettingSeesAndChangesTheGroup() {
        setShared();
        plain.request(() -> {
            assertSame(plain.get("view.x"), plain.get("tree"));
            plain.session.set("tree", "alone");
        });
        assertEquals("COMMIT 1 +~group:view.*,tree +tree", sorted(store.asked.get(store.asked.size() - 1)));
        a.request(() -> {
            assertEquals("alone", a.get("tree"));
            assertEquals(List.of("x"), a.get("view.x"));
        });
    }

    @Test
    void whatWasSetWithoutAGroupCountsUntilItMovesIn() {
        plain.request(() -> plain.session.set("tree", "old"));
        a.request(() -> {
            assertEquals("old", a.get("tree"));
            assertEquals("old", a.session.set("tree", "new"));
        });
        assertEquals("COMMIT 1 +~group:view.*,tree -tree", sorted(store.asked.get(store.asked.size() - 1)));
        b.request(() -> assertEquals("new", b.get("tree")));
        plain.request(() -> assertEquals("new", plain.get("tree")));
    }

    @Test
    void whatMayNotLeaveIsNoMember() {
        Node node = new Node(store, Groups.of("private.*"));
        node.request(() -> node.session.set("private.key", "secret"));
        assertEquals(List.of("COMMIT 0"), store.asked);
    }

    @Test
    void aGroupThatCannotBeReadHereIsNotReplaced() {
        a.request(() -> {
            a.session.set("view.x", new Poison());
            a.session.set("tree", "old");
        });
        Poison.readable = false;
        try {
            b.request(() -> b.session.set("tree", "new"));
            b.request(() -> assertEquals("new", b.get("tree")));
        } finally {
            Poison.readable = true;
        }
        a.request(() -> {
            assertEquals("new", a.get("tree"));
            assertEquals(Poison.class, a.get("view.x").getClass());
        });
    }

    @Test
    void membersAreActivatedAndTheGroupIsNot() {
        setShared();
        b.request(() -> b.get("tree"));
        assertEquals(2, b.activated.size());
        assertFalse(a.activated.contains("x"));
        assertNotSame(a.get("tree"), b.get("tree"));
    }

    private void setShared() {
        a.request(() -> {
            List<String> shared = new ArrayList<>(List.of("x"));
            a.session.set("view.x", shared);
            a.session.set("tree", shared);
        });
    }

    /** Operations of one commit have no order among them. */
    private static String sorted(String line) {
        String[] words = line.split(" ");
        Arrays.sort(words, 2, words.length, Comparator.comparing(word -> word.substring(1), Comparator.reverseOrder()));
        return String.join(" ", words);
    }

    @SuppressWarnings("unchecked")
    private static List<String> list(Object value) {
        return (List<String>) value;
    }
}
