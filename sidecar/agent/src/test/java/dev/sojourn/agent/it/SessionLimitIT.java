package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An application whose descriptor limits how many sessions Tomcat's manager may have. */
class SessionLimitIT {
    private static final class Limited implements Server {
        private final StockTomcat tomcat = new StockTomcat("10.1.54", true);

        @Override
        public void build(Path work) throws Exception {
            tomcat.build(work);
        }

        @Override
        public ProcessBuilder node(Path base, Release release, String agent, int port) throws Exception {
            ProcessBuilder builder = tomcat.node(base, release, agent, port);
            Files.writeString(
                    base.resolve("conf/context.xml"),
                    "<Context><Manager className=\"org.apache.catalina.session.PersistentManager\" maxActiveSessions=\"1\">"
                            + "<Store className=\"org.apache.catalina.session.FileStore\"/></Manager></Context>");
            return builder;
        }
    }

    @Test
    void itRefusesNobodyAndTheLogSaysSo() throws Exception {
        try (Pods pods = new Pods("limited", new Limited())) {
            TomcatNode node =
                    pods.tomcat("a", pods.daemon("a").socket, Release.THIS, "").awaitStarted();
            for (String name : List.of("ann", "bea", "cid")) {
                Browser user = new Browser();
                user.get(node, "op=set&name=user&value=" + name);
                assertEquals(name, user.get(node, "op=get&name=user"));
            }
            String log = node.logged();
            assertTrue(log.contains("maxActiveSessions=1 of the application's manager is not held"), log);
            assertTrue(log.contains("context=/app"), log);
            assertTrue(log.contains("context=/app store=org.apache.catalina.session.FileStore"), log);
        }
    }
}
