package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What one node does to a session, the other one sees. */
interface SharingCases extends Nodes {
    @Test
    default void whatWasSetIsOnTheOtherNode() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        user().get(b(), "op=set&name=user&value=Bea");
        assertEquals("Bea", user().get(a(), "op=get&name=user"));
    }

    @Test
    default void alternatingNodesNeverSeeAnythingOld() throws Exception {
        for (int i = 0; i < 50; i++) {
            user().get(i % 2 == 0 ? a() : b(), "op=append&name=list&value=" + i);
        }
        String list = user().get(b(), "op=get&name=list");
        assertEquals(50, list.split(",").length, list);
    }

    @Test
    default void whatTheOtherNodeHasChangedIsThereWithoutAsking() throws Exception {
        StringBuilder list = new StringBuilder();
        Eventually.holds("a change that was told before anybody came for it", SOON, () -> {
            for (int i = 0; i < 3; i++) {
                // Whom nobody disturbs shares the session soon.
                user().get(a(), "op=get&name=list");
                user().get(b(), "op=get&name=list");
            }
            list.append(list.isEmpty() ? "" : ", ").append(list.length());
            user().get(b(), "op=append&name=list&value=" + list.substring(list.lastIndexOf(" ") + 1));
            long before = daemonA().requests("open");
            assertTrue(before > 0, "this counts something else than opens");
            assertEquals("[" + list + "]", user().get(a(), "op=get&name=list"));
            return daemonA().requests("open") == before;
        });
    }

    @Test
    default void whoWasToldOfTheFirstChangesAloneSeesTheLastOne() throws Exception {
        StringBuilder list = new StringBuilder("0");
        user().get(b(), "op=append&name=list&value=0");
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 4; i++) {
                user().get(a(), "op=get&name=list");
                user().get(b(), "op=get&name=list");
            }
            // After a few that nobody came for nothing more is told, and what was is not enough.
            for (int i = 0; i < 12; i++) {
                user().get(b(), "op=append&name=list&value=" + round + "x" + i);
                list.append(", ").append(round).append('x').append(i);
            }
            assertEquals("[" + list + "]", user().get(a(), "op=get&name=list"));
        }
    }

    @Test
    default void aSessionWithoutAnyAttributeIsKnownEverywhere() throws Exception {
        user().get(a(), "op=create");
        // Over HTTP/2 the next one may be there before that.
        Eventually.holds(
                "the request that created it is over",
                SOON,
                () -> user().get(a(), "op=facts").startsWith("false "));
        String facts = user().get(a(), "op=facts");
        assertEquals(facts, user().get(b(), "op=facts"));
        assertTrue(facts.startsWith("false "), facts);
    }

    @Test
    default void aChangeInPlaceTravels() throws Exception {
        user().get(a(), "op=append&name=list&value=x");
        user().get(a(), "op=append&name=list&value=y");
        assertEquals("[x, y]", user().get(b(), "op=get&name=list"));
    }

    @Test
    default void aRemovalTravels() throws Exception {
        user().get(a(), "op=set&name=one&value=1");
        user().get(a(), "op=set&name=two&value=2");
        user().get(b(), "op=remove&name=one");
        assertEquals("[two]", user().get(a(), "op=names"));
        assertEquals("[two]", user().get(b(), "op=names"));
    }

    @Test
    default void anUnchangedSessionIsNotCommitted() throws Exception {
        user().get(a(), "op=append&name=list&value=x");
        user().get(a(), "op=append&name=list&value=y");
        try (Watch watch = new Watch(pods().store)) {
            Eventually.holds(
                    "both commits are in the store", // in Async, a while after the answer
                    SOON,
                    () -> watch.isStored(user()) && watch.version(user()) == 2);
            Eventually.holds("who is alone with a session asks nobody any more", SOON, () -> {
                assertEquals("[x, y]", user().get(a(), "op=get&name=list"));
                return watch.about(user()).isEmpty();
            });
            assertEquals(2, watch.version(user()));
        }
    }

    @Test
    default void concurrentRequestsOnDifferentAttributesAllSurvive() throws Exception {
        user().get(a(), "op=create");
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            all.add(user().later(i % 2 == 0 ? a() : b(), "op=gated&gate=concurrent&name=n" + i + "&value=" + i));
        }
        Nodes.awaitInFlight(a(), "concurrent", 16);
        Nodes.awaitInFlight(b(), "concurrent", 16);
        user().get(a(), "op=open&gate=concurrent");
        user().get(b(), "op=open&gate=concurrent");
        for (CompletableFuture<HttpResponse<String>> each : all) {
            assertEquals(200, each.get(60, TimeUnit.SECONDS).statusCode());
        }
        assertEquals(32, user().get(a(), "op=names").split(",").length);
        assertEquals(32, user().get(b(), "op=names").split(",").length);
    }
}
