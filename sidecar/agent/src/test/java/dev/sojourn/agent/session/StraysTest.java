package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Threads of no request: what they change, and what another node makes of it. */
class StraysTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    @Test
    void whatAThreadChangesThatTheRequestWaitsForIsCommittedWithIt() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        a.request(() ->
                CompletableFuture.runAsync(() -> list(a.get("list")).add("y")).join());
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    /** Of a socket, a scheduler, an executor. */
    @Test
    void whatOneChangesLongAfterItHasReadItIsFound() {
        List<String> list = heldForLong();
        list.add("y");
        a.backlog.work();
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    @Test
    void soIsWhatItChangesBeforeThisJvmLetsGoOfTheSession() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        List<String> list = list(a.get("list"));
        a.backlog.work();
        list.add("y");
        a.session.commitStrayed();
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    /** A request on this node would have dropped it, too. */
    @Test
    void whatItChangesInAnOldVersionIsNotSentOverWhatOthersHaveCommittedSince() {
        List<String> list = heldForLong();
        list.add("y");
        b.request(() -> list(b.get("list")).add("z"));
        a.backlog.work();
        b.request(() -> assertEquals(List.of("x", "z"), b.get("list")));
    }

    @Test
    void norIsTheTimeOutThatAnotherHasSetSinceUndoneByIt() {
        List<String> list = heldForLong();
        list.add("y");
        b.request(() -> {
            b.idle = 60;
            list(b.get("list")).add("z");
        });
        a.backlog.work();
        assertEquals(60, store.idle("s"));
        assertEquals(60, a.idle);
    }

    /** Not what it only changes: to set it is to say so. */
    @Test
    void whatItSetsIsSentThoughOthersHaveCommittedSince() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        List<String> list = list(a.get("list"));
        b.request(() -> list(b.get("list")).add("z"));
        list.add("y");
        a.session.set("list", list);
        a.request(() -> {});
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    @Test
    void whereItChangesNothingNobodyIsAsked() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        a.get("list");
        store.asked.clear();
        for (int look = 0; look < 8; look++) {
            a.backlog.work();
        }
        assertEquals(List.of(), store.asked);
    }

    /** A thread of no request on a has it, and has not touched it for seven looks. */
    private List<String> heldForLong() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        List<String> list = list(a.get("list"));
        for (int look = 1; look < 8; look++) {
            a.backlog.work();
        }
        return list;
    }

    @SuppressWarnings("unchecked")
    private static List<String> list(Object value) {
        return (List<String>) value;
    }
}
