package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What an object is told when it leaves a JVM while its session goes on. */
class PassivationIT {
    @Test
    void anObjectIsToldOnceWhenItsCopyIsForgottenAndOnceWhenItsContextStops() throws Exception {
        try (Pods pods = new Pods("passivation", new StockTomcat("10.1.54", true))) {
            Daemon daemon = pods.daemon("a");
            TomcatNode forgets = pods.tomcat("forgets", daemon.socket, Release.THIS, "memory.idle=1s");
            TomcatNode stops = pods.tomcat("stops", daemon.socket, Release.THIS, "drain.quiet=100ms");
            forgets.awaitStarted();
            stops.awaitStarted();
            Browser ann = new Browser();
            Browser bea = new Browser();
            ann.get(forgets, "op=bound&name=x&value=ann");
            bea.get(stops, "op=bound&name=x&value=bea");
            assertEquals("ann", ann.get(stops, "op=get&name=x"));
            Eventually.holds("its copy is forgotten", Nodes.SOON, () -> Nodes.counter(forgets, "passivated") > 0);
            assertEquals("ann", ann.get(stops, "op=get&name=x"));
            assertEquals(0, Nodes.counter(stops, "passivated"), "what is in use here stays");

            stops.terminate();
            assertEquals(143, stops.exit(20));
            assertEquals(1, passivations(stops, "ann"));
            assertEquals(1, passivations(stops, "bea"));
            assertEquals(1, passivations(forgets, "ann"));
            assertEquals("ann", ann.get(forgets, "op=get&name=x"));
            assertEquals("bea", bea.get(forgets, "op=get&name=x"));
        }
    }

    /** In the log: a JVM that has ended cannot be asked for its counters. */
    private static long passivations(TomcatNode node, String value) throws Exception {
        return Pattern.compile("^passivated " + value + "$", Pattern.MULTILINE)
                .matcher(node.logged())
                .results()
                .count();
    }
}
