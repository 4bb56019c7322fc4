package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two nodes on one store: what is sent, and what the other one sees. */
class SessionStateTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    @Test
    void aSessionWithoutAttributesIsCommitted() {
        a.request(() -> {});
        assertEquals(List.of("COMMIT 0"), store.asked);
    }

    @Test
    void theOtherNodeSeesWhatWasSet() {
        a.request(() -> a.session.set("user", "Ann"));
        b.request(() -> assertEquals("Ann", b.get("user")));
    }

    @Test
    void whatIsChangedAfterAnIncludedApplicationHasFlushedIsSeenToo() {
        a.request(() -> {
            List<String> list = new ArrayList<>(List.of("x"));
            a.session.set("list", list);
            Thread thread = Thread.currentThread();
            ClassLoader own = thread.getContextClassLoader();
            thread.setContextClassLoader(null);
            a.bytes(false);
            thread.setContextClassLoader(own);
            list.add("y");
        });
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    /** The container calls listeners of asynchronous requests past its valves. */
    @Test
    void soIsWhatAListenerChangesAfterItHasClosedTheResponse() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        a.requests.enter(a, true);
        a.requests.exit(a, false);
        a.requests.enter(a, false);
        @SuppressWarnings("unchecked")
        List<String> list = (List<String>) a.get("list");
        a.bytes(true);
        list.add("y");
        a.requests.exit(a, true);
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    @Test
    void anUnchangedSessionIsOpenedAndNothingElse() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        store.asked.clear();
        a.request(() -> a.get("list"));
        assertEquals(List.of("OPEN 1"), store.asked);
    }

    @Test
    void settingAnEqualValueSendsNothing() {
        a.request(() -> a.session.set("user", "Ann"));
        store.asked.clear();
        a.request(() -> a.session.set("user", "Ann"));
        assertEquals(List.of("OPEN 1"), store.asked);
    }

    @Test
    void aChangeInPlaceIsFoundAndOnlyThat() {
        a.request(() -> {
            a.session.set("list", new ArrayList<>(List.of("x")));
            a.session.set("other", new ArrayList<>(List.of("o")));
        });
        store.asked.clear();
        a.request(() -> {
            list(a.get("list")).add("y");
            a.get("other");
        });
        assertEquals(List.of("OPEN 1", "COMMIT 1 +list"), store.asked);
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    @Test
    void aRemovalTravels() {
        a.request(() -> a.session.set("user", "Ann"));
        b.request(() -> assertEquals("Ann", b.session.remove("user")));
        assertEquals("COMMIT 1 -user", store.asked.get(store.asked.size() - 1));
        a.request(() -> assertEquals("nothing", a.get("user")));
        assertEquals(Set.of(), a.session.names());
    }

    @Test
    void setAndRemovedWithinOneRequestIsNeverSent() {
        a.request(() -> {
            a.session.set("user", "Ann");
            a.session.remove("user");
        });
        assertEquals(List.of("COMMIT 0"), store.asked);
    }

    @Test
    void aPollSaysWithEachThingThatItIsOne() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        store.asked.clear();
        a.poll(() -> a.session.set("seen", "1"));
        a.request(() -> a.session.set("seen", "2"));
        store.leaves = true;
        a.response = new Later() {
            @Override
            public void begin() {}

            @Override
            public void end() {}
        };
        a.poll(() -> a.session.set("seen", "3"));
        store.left.forEach(Runnable::run);
        assertEquals(
                List.of(
                        "PASSIVE OPEN 1",
                        "PASSIVE COMMIT 1 +seen",
                        "OPEN 2",
                        "COMMIT 2 +seen",
                        "PASSIVE OPEN 3",
                        "PASSIVE COMMIT 3 +seen"),
                store.asked);
    }

    @Test
    void differentAttributesOfTwoNodesBothSurvive() {
        a.request(() -> a.session.set("start", "0"));
        b.request(() -> {});
        b.session.set("b", "2");
        a.request(() -> a.session.set("a", "1"));
        b.session.commit();
        a.request(() -> assertEquals("2", a.get("b")));
        b.request(() -> assertEquals("1", b.get("a")));
    }

    @Test
    void aRefreshDoesNotTakeAwayWhatIsNotCommittedYet() {
        a.request(() -> a.session.set("x", "old"));
        b.request(() -> {});
        b.session.set("x", "b's");
        a.request(() -> a.session.set("x", "a's"));
        b.open();
        assertEquals("b's", b.get("x"));
        b.session.commit();
        a.request(() -> assertEquals("b's", a.get("x")));
    }

    @Test
    void wholeAgainReplacesWhatIsHeld() {
        a.request(() -> a.session.set("x", "1"));
        b.request(() -> {
            b.session.remove("x");
            b.session.set("y", "2");
        });
        store.forgetful = true;
        a.request(() -> assertEquals(Set.of("y"), a.session.names()));
    }

    @Test
    void wholeAgainTakesNoObjectFromARequestThatIsAtWorkOnIt() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        a.request(() -> {
            List<String> list = list(a.get("list"));
            store.forgetful = true;
            a.open();
            list.add("y");
        });
        b.request(() -> assertEquals(List.of("x", "y"), b.get("list")));
    }

    @Test
    void whatCannotBeSerializedStaysAndTheRestGoes() {
        Object local = new Object();
        a.request(() -> {
            a.session.set("socket", local);
            a.session.set("user", "Ann");
        });
        assertEquals(List.of("COMMIT 0 +user"), store.asked);
        a.request(() -> assertEquals(local, a.get("socket")));
        assertFalse(a.session.isEvictable());
    }

    /** All of it might be more than the heap holds, and then nothing of the session would be committed. */
    @Test
    void whatIsTooLargeIsNotWrittenToItsEnd() {
        Vast vast = new Vast();
        a.request(() -> {
            a.session.set("vast", vast);
            a.session.set("user", "Ann");
        });
        assertTrue(vast.written <= 16, vast.written + " MiB");
        assertEquals(List.of("COMMIT 0 +user"), store.asked);
        a.request(() -> assertEquals(vast, a.get("vast")));
    }

    @Test
    void whatCannotBeSerializedAnyMoreIsNotBelievedElsewhere() {
        a.request(() -> a.session.set("x", "old"));
        a.request(() -> a.session.set("x", new Object()));
        b.request(() -> assertEquals("nothing", b.get("x")));
        assertTrue(a.session.get("x") != null);
    }

    @Test
    void theContainersFilterKeepsAttributesHere() {
        a.request(() -> a.session.set("private.key", "secret"));
        assertEquals(List.of("COMMIT 0"), store.asked);
    }

    @Test
    void whatCannotBeReadIsSetAsideAndStaysInTheStore() {
        store.asked.clear();
        a.request(() -> a.session.set("poison", new Poison()));
        Poison.readable = false;
        try {
            b.request(() -> {
                assertEquals("nothing", b.get("poison"));
                assertEquals("nothing", b.get("poison"));
                b.session.set("other", "1");
            });
        } finally {
            Poison.readable = true;
        }
        assertEquals("COMMIT 1 +other", store.asked.get(store.asked.size() - 1));
        Node c = new Node(store);
        c.request(() -> assertTrue(c.get("poison") instanceof Poison));
    }

    @Test
    void whatAnotherThreadIsChangingIsCommittedNextTime() {
        Restless restless = new Restless();
        restless.writesLeftToFail = 100;
        a.request(() -> a.session.set("restless", restless));
        assertEquals(List.of("COMMIT 0"), store.asked);
        restless.writesLeftToFail = 2;
        a.request(() -> {});
        assertEquals("COMMIT 1 +restless", store.asked.get(store.asked.size() - 1));
    }

    @Test
    void anOutageIsCaughtUpWith() {
        a.request(() -> a.session.set("x", "1"));
        store.refuses = Refusal.Why.AWAY;
        a.request(() -> a.session.set("x", "2"));
        a.request(() -> assertEquals("2", a.get("x")));
        assertFalse(a.session.isEvictable());
        store.refuses = null;
        a.backlog.work();
        assertTrue(a.session.isEvictable());
        b.request(() -> assertEquals("2", b.get("x")));
    }

    @Test
    void aStreamThatStaysOpenDoesNotKeepItFromTheStore() {
        a.request(() -> a.session.set("x", "1"));
        a.session.acquire();
        store.refuses = Refusal.Why.AWAY;
        a.request(() -> a.session.set("x", "2"));
        store.refuses = null;
        a.backlog.work();
        b.request(() -> assertEquals("1", b.get("x"), "a request would commit it soon"));
        for (int look = 0; look < Uncommitted.PATIENCE; look++) {
            a.backlog.work();
        }
        b.request(() -> assertEquals("2", b.get("x")));
    }

    @Test
    void aSessionBornInAnOutageIsCommittedLater() {
        store.refuses = Refusal.Why.UNAVAILABLE;
        a.request(() -> a.session.set("x", "1"));
        store.refuses = null;
        a.backlog.work();
        b.request(() -> assertEquals("1", b.get("x")));
    }

    @Test
    void theLargestStaysBehindIfTheSessionIsTooLarge() {
        store.maxBytes = 10_000;
        a.request(() -> {
            a.session.set("large", new byte[9_000]);
            a.session.set("small", new byte[2_000]);
        });
        assertEquals("COMMIT 0 +small", store.asked.get(store.asked.size() - 1));
        assertEquals(9_000, ((byte[]) a.get("large")).length);
    }

    @Test
    void theTimeOutTravelsAlone() {
        a.request(() -> a.session.set("x", "1"));
        store.asked.clear();
        a.request(() -> a.idle = 60);
        a.request(() -> {});
        assertEquals(List.of("OPEN 1", "COMMIT 1", "OPEN 2"), store.asked);
    }

    @Test
    void theContainersOwnAreInvisible() {
        a.request(() -> a.session.set("\0authType", "FORM"));
        assertEquals(Set.of(), a.session.names());
        b.request(() -> assertEquals("FORM", b.get("\0authType")));
    }

    @SuppressWarnings("unchecked")
    private static List<String> list(Object value) {
        return (List<String>) value;
    }
}
