package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The way of a JVM without Unix sockets. */
class LoopbackTcpIT {
    @Test
    void sessionsTravelOverTcpWithAToken() throws Exception {
        try (Pods pods = new Pods("tcp", new StockTomcat("10.1.54", true))) {
            Path token = pods.file("token", "a secret\n");
            String tcp = "127.0.0.1:" + Ports.freePort();
            pods.daemon("a", Map.of("SOJOURN_TCP", tcp, "SOJOURN_TOKEN_FILE", token.toString()));
            String settings = "tcp=" + tcp + ",tokenFile=" + token;
            TomcatNode a = pods.tomcat("a", Release.THIS, settings);
            TomcatNode b = pods.tomcat("b", Release.THIS, settings);
            a.awaitStarted();
            b.awaitStarted();
            Browser user = new Browser();
            user.get(a, "op=set&name=user&value=Ann");
            assertEquals("Ann", user.get(b, "op=get&name=user"));
        }
    }
}
