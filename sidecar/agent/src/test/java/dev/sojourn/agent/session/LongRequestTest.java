package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a request has set that goes on for long is committed before it ends. */
class LongRequestTest {
    private final FakeStore store = new FakeStore();
    private final Node node = new Node(store);
    private final Node other = new Node(store);

    LongRequestTest() {
        node.request(() -> node.session.set("list", new ArrayList<>(List.of("before"))));
    }

    @Test
    void aRoundCommitsWhatItHasSetOrRemovedAndNotWhatItHasOnlyRead() {
        node.request(() -> {
            list(node).add("in place");
            node.session.set("x", "1");
            round(0);
            assertEquals("nothing", seen("x"), "it may be a short one");
            later();
            assertEquals("1", seen("x"));
            assertEquals("[before]", seen("list"));
            node.session.set("list", list(node));
            node.session.remove("x");
            later();
            assertEquals("nothing", seen("x"));
            assertEquals("[before, in place]", seen("list"));
            list(node).add("later");
        });
        assertEquals("[before, in place, later]", seen("list"));
    }

    @Test
    void whatOthersHaveSetSinceStaysAtItsEnd() {
        node.request(() -> {
            node.session.set("x", "old");
            later();
            other.request(() -> other.session.set("x", "new"));
        });
        assertEquals("new", seen("x"));
    }

    @Test
    void aFlushSendsWhatIsSetAndAsksForNothingWhereNothingIs() {
        node.request(() -> {
            node.session.set("x", "1");
            node.requests.beforeFlush(node);
            assertEquals("1", seen("x"));
            list(node);
            store.asked.clear();
            for (int flushes = 0; flushes < 10; flushes++) {
                node.requests.beforeFlush(node);
            }
            assertEquals(List.of(), store.asked);
        });
    }

    /** Each would wait for a store that does not answer. */
    @Test
    void afterOneThatNobodyAnsweredFlushesLeaveItToTheRounds() {
        node.request(() -> {
            node.session.set("x", "1");
            store.refuses = Refusal.Why.AWAY;
            node.requests.beforeFlush(node);
            store.asked.clear();
            node.requests.beforeFlush(node);
            assertEquals(List.of(), store.asked);
            store.refuses = null;
            later();
            assertEquals("1", seen("x"));
            node.session.set("x", "2");
            node.requests.beforeFlush(node);
            assertEquals("2", seen("x"));
        });
    }

    /** It is put to rights, or taken out, before the request ends. */
    @Test
    void whatCannotBeWrittenYetIsAtItsEnd() {
        node.request(() -> {
            Map<String, Object> job = new HashMap<>();
            job.put("thread", new Object());
            node.session.set("job", job);
            node.session.set("x", "1");
            node.requests.beforeFlush(node);
            assertEquals("1", seen("x"));
            later();
            job.put("thread", "done");
        });
        assertEquals("{thread=done}", seen("job"));
    }

    /** Who has it of the store meanwhile has what was there before, and not that there is none. */
    @Test
    void aFlushLeavesWhatTheStoreHasWhileTheNewOneCannotBeWrittenYet() {
        node.request(() -> node.session.set("job", new HashMap<>(Map.of("thread", "none"))));
        node.request(() -> {
            Map<String, Object> job = new HashMap<>();
            job.put("thread", new Object());
            node.session.set("job", job);
            node.requests.beforeFlush(node);
            assertEquals("{thread=none}", seen("job"));
            job.put("thread", "done");
        });
        assertEquals("{thread=done}", seen("job"));
    }

    @Test
    void oneThatIsOverMeanwhileIsNotMadeAnew() {
        node.request(() -> {
            node.session.set("x", "1");
            node.session.life().end();
            later();
        });
        assertTrue(!store.has("s"));
    }

    private void later() {
        round(TimeUnit.SECONDS.toNanos(1));
    }

    private void round(long later) {
        node.requests.tellSet(System.nanoTime() + later, node.backlog);
        node.backlog.work();
    }

    /** By a pod of its own each time. */
    private String seen(String name) {
        Node asking = new Node(store);
        String[] seen = new String[1];
        asking.request(() -> seen[0] = asking.get(name).toString());
        return seen[0];
    }

    @SuppressWarnings("unchecked")
    private static List<String> list(Node at) {
        return (List<String>) at.get("list");
    }
}
