package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.core.Wordless;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whose listeners an announced session belongs to. */
class ExpiriesTest {
    private final Expiries expiries = new Expiries();
    private final List<String> told = new ArrayList<>();

    @Test
    void eachContextHearsOfItsOwn() {
        expiries.listen("/shop", id -> told.add("shop " + id));
        expiries.listen("", id -> told.add("root " + id));
        expiries.listen("/shop##2", id -> told.add("shop 2 " + id));
        for (String name :
                List.of("/shop\nA", "\nB", "/shop##2\nC", "/unknown\nD", "no context", "/shop\nwith\nmore")) {
            expiries.heard(name);
        }
        assertEquals(List.of(), told);
        expiries.work();
        assertEquals(List.of("shop A", "root B", "shop 2 C", "shop with\nmore"), told);
    }

    /** Spring Boot's management server is a second Tomcat in the JVM, whose context has the same name. */
    @Test
    void ofTwoContextsOfOneNameTheOneThatHoldsTheSessionIsToldElseTheFirst() {
        Expiries.Listener first = id -> told.add("first " + id);
        expiries.listen("", first);
        expiries.listen("", new Expiries.Listener() {
            @Override
            public void expired(String id) {
                told.add("second " + id);
            }

            @Override
            public boolean holds(String id) {
                return id.equals("B");
            }
        });
        expiries.heard("\nA");
        expiries.heard("\nB");
        expiries.work();
        expiries.stopListening("", first);
        expiries.heard("\nC");
        expiries.work();
        assertEquals(List.of("first A", "second B", "second C"), told);
    }

    /** What that one waits for then would fail. */
    @Test
    void anInterruptThatOneLeavesBehindIsNotForTheNext() {
        expiries.listen("/interrupts", id -> Thread.currentThread().interrupt());
        expiries.listen("/shop", id -> told.add(id + Thread.currentThread().isInterrupted()));
        expiries.heard("/interrupts\nA");
        expiries.heard("/shop\nB ");
        expiries.work();
        assertEquals(List.of("B false"), told);
    }

    @Test
    void oneThatFailsDoesNotStopTheOthers() {
        Expiries.Listener broken = id -> {
            throw new Wordless();
        };
        expiries.listen("/broken", broken);
        expiries.listen("/shop", told::add);
        expiries.heard("/broken\nA");
        expiries.heard("/shop\nB");
        expiries.work();
        assertEquals(List.of("B"), told);
        expiries.stopListening("/shop", broken);
        expiries.stopListening("/broken", broken);
        expiries.heard("/broken\nA");
        expiries.heard("/shop\nC");
        expiries.work();
        assertEquals(List.of("B", "C"), told);
    }
}
