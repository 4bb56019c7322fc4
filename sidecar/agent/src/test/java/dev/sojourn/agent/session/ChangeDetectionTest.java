package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Serializable;
import java.math.BigDecimal;
import java.net.URI;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is serialized, how often, and what becomes of what cannot be. */
class ChangeDetectionTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    record Fixed(String name, int number, LocalDate day, TimeUnit unit) implements Serializable {}

    record Loose(List<String> list) implements Serializable {}

    record Open(BigDecimal perhapsASubclass) implements Serializable {}

    @Test
    void valuesThatCannotChangeAreKnown() {
        for (Object value : new Object[] {
            "x",
            1,
            1L,
            'c',
            true,
            1.5,
            LocalDate.MIN,
            ZoneId.of("UTC"),
            TimeUnit.DAYS,
            BigDecimal.ONE,
            String.class,
            new Fixed("x", 1, LocalDate.MIN, TimeUnit.DAYS)
        }) {
            assertTrue(Immutables.contains(value), value.toString());
        }
        for (Object value : new Object[] {
            new ArrayList<>(), new Loose(List.of()), new Open(BigDecimal.ONE), new int[0], new StringBuilder()
        }) {
            assertFalse(Immutables.contains(value), value.getClass().toString());
        }
    }

    @Test
    void equalHereMeansEqualBytes() {
        assertTrue(Immutables.areEqual("x", new StringBuilder("x").toString()));
        assertFalse(Immutables.areEqual(0.0, -0.0));
        assertFalse(Immutables.areEqual(new BigDecimal("1.0"), new BigDecimal("1.00")));
        assertFalse(Immutables.areEqual(1, 1L));
        assertFalse(Immutables.areEqual(URI.create("http://a/"), URI.create("HTTP://A/")));
        List<String> list = new ArrayList<>();
        assertFalse(Immutables.areEqual(list, list));
    }

    @Test
    void whatWasOnlyReadIsNotSentThoughItIsWrittenOtherwiseHere() {
        setSet();
        store.asked.clear();
        b.request(() -> b.get("set"));
        b.request(() -> b.get("set"));
        assertEquals(List.of("OPEN 0", "OPEN 1"), store.asked);
    }

    @Test
    void aRequestThatOnlyReadsDoesNotUndoWhatAnotherPodCommitsMeanwhile() {
        setSet();
        b.request(() -> {
            b.get("set");
            a.request(() -> set(a.get("set")).add("z"));
        });
        a.request(() -> assertEquals(Set.of("x", "y", "z"), a.get("set")));
    }

    /** As Spring does with each bean of a session at the end of a request. */
    @Test
    void norDoesOneThatSetsWhatItHasOnlyRead() {
        setSet();
        b.request(() -> {
            b.session.set("set", b.get("set"));
            a.request(() -> set(a.get("set")).add("z"));
        });
        a.request(() -> assertEquals(Set.of("x", "y", "z"), a.get("set")));
    }

    @Test
    void norDoesItKeepThatFromTheNextRequest() {
        setSet();
        b.request(() -> {
            b.get("set");
            a.request(() -> set(a.get("set")).add("z"));
            b.open();
            assertEquals(Set.of("x", "y", "z"), b.get("set"));
        });
    }

    @Test
    void whatIsWrittenOtherwiseHereIsSentWhenItChanges() {
        setSet();
        b.request(() -> set(b.get("set")).add("z"));
        a.request(() -> assertEquals(Set.of("x", "y", "z"), a.get("set")));
        a.request(() -> a.get("set"));
        a.request(() -> set(a.get("set")).remove("x"));
        b.request(() -> assertEquals(Set.of("y", "z"), b.get("set")));
    }

    /** What is told that it leaves may take longer than who comes for it waits. */
    @Test
    void whatARequestChangesThatComesWhileObjectsAreToldThatTheyLeaveIsSent() {
        setSet();
        b.request(() -> b.get("set"));
        Scope scope = new Scope();
        b.session.passivate(value -> {
            scope.use(b.session);
            set(value).add("z");
            return true;
        });
        b.request(() -> b.get("set"));
        a.request(() -> assertEquals(Set.of("x", "y", "z"), a.get("set")));
    }

    @Test
    void whatCannotBeReadASecondTimeIsSentWhenItIsWrittenOtherwise() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of(new Poison()))));
        try {
            b.request(() -> {
                ((List<?>) b.get("list")).clear();
                Poison.readable = false;
            });
        } finally {
            Poison.readable = true;
        }
        a.request(() -> assertEquals(List.of(), a.get("list")));
    }

    /** It has more room than one of two elements that was read. */
    private void setSet() {
        a.request(() -> a.session.set("set", new HashSet<>(List.of("x", "y"))));
    }

    @SuppressWarnings("unchecked")
    private static Set<String> set(Object value) {
        return (Set<String>) value;
    }

    @Test
    void anObjectThatFailsForAReasonOfItsOwnStaysAndIsNotTriedForEver() {
        Restless broken = new Restless();
        broken.failure = new IllegalStateException("always");
        broken.writesLeftToFail = Integer.MAX_VALUE;
        a.request(() -> a.session.set("broken", broken));
        for (int i = 0; i < 10; i++) {
            a.request(() -> {});
        }
        int tries = Integer.MAX_VALUE - broken.writesLeftToFail;
        a.request(() -> {});
        a.request(() -> {});
        assertEquals(tries, Integer.MAX_VALUE - broken.writesLeftToFail);
        a.request(() -> assertEquals(broken, a.get("broken")));
    }

    @Test
    void whatAnotherThreadIsChangingIsCommittedWithoutAnotherRequest() {
        Restless restless = new Restless();
        restless.writesLeftToFail = 6;
        a.request(() -> a.session.set("restless", restless));
        assertEquals(List.of("COMMIT 0"), store.asked);
        assertFalse(a.session.isEvictable());
        a.backlog.work();
        assertEquals("COMMIT 1 +restless", store.asked.get(store.asked.size() - 1));
        assertTrue(a.session.isEvictable());
    }

    @Test
    void whatAnotherRequestMayBeChangingIsWrittenUntilItIsTheSameTwice() {
        Shifting alone = new Shifting();
        a.request(() -> a.session.set("alone", alone));
        assertEquals(1, alone.writes);
        Shifting shifting = new Shifting();
        a.session.acquire();
        a.request(() -> a.session.set("shifting", shifting));
        b.request(() -> assertEquals(Shifting.AT_REST, ((Shifting) b.get("shifting")).read));
        int writes = shifting.writes;
        a.request(() -> a.get("shifting"));
        assertEquals(writes + 1, shifting.writes, "what is as it was is not torn");
        a.session.release();
    }

    @Test
    void aMapThatAThreadOfNoRequestChangesIsWrittenUntilItIsTheSameTwice() {
        HashMap<String, Object> map = new HashMap<>();
        map.put("meddler", new Meddler(() -> map.put("more", "x")));
        a.request(() -> a.session.set("map", map));
        b.request(() -> assertEquals(Set.of("meddler", "more"), ((Map<?, ?>) b.get("map")).keySet()));
    }

    @Test
    void whatCannotBeWrittenOrReadForWhateverReasonFailsNothing() {
        a.request(() -> {
            a.session.set("unwritten", new Unlucky(true));
            a.session.set("user", "Ann");
        });
        assertEquals(List.of("COMMIT 0 +user"), store.asked);
        a.request(() -> a.session.set("unread", new Unlucky(false)));
        b.request(() -> {
            assertEquals("nothing", b.get("unread"));
            assertEquals(Set.of("user"), b.session.names());
        });
    }

    @Test
    void aChangeOfATornObjectReplacesNothingOfOthers() {
        Restless restless = new Restless();
        a.request(() -> a.session.set("restless", restless));
        restless.writesLeftToFail = 100;
        a.request(() -> a.get("restless"));
        b.request(() -> b.session.set("other", "1"));
        a.request(() -> assertEquals("1", a.get("other")));
        assertEquals(Set.of("restless", "other"), a.session.names());
    }

    @Test
    void theOperatorIsToldOnce() {
        for (int i = 0; i < 3; i++) {
            a.request(() -> a.session.set("socket", new Object()));
        }
        a.backlog.work();
        a.backlog.work();
        assertEquals(
                List.of("NOTE unserializable /test socket java.lang.Object"),
                store.asked.stream().filter(line -> line.startsWith("NOTE")).toList());
    }

    @Test
    void whereNamesAreMadeUpOneLineStandsForTheRest() {
        a.request(() -> {
            for (int i = 0; i < 1_100; i++) {
                a.session.set("socket" + i, new Object());
            }
        });
        a.backlog.work();
        List<String> notes =
                store.asked.stream().filter(line -> line.startsWith("NOTE")).toList();
        assertEquals(1_001, notes.size());
        assertEquals("NOTE unserializable other other other", notes.get(1_000));
    }

    @Test
    void whatCannotBeReadIsNotAmongTheNamesEvenBeforeItIsAskedFor() {
        a.request(() -> {
            a.session.set("poison", new Poison());
            a.session.set("user", "Ann");
        });
        Poison.readable = false;
        try {
            b.request(() -> assertEquals(Set.of("user"), b.session.names()));
            b.backlog.work();
        } finally {
            Poison.readable = true;
        }
        assertTrue(store.asked.contains("NOTE unreadable /test poison ?"), store.asked.toString());
    }
}
