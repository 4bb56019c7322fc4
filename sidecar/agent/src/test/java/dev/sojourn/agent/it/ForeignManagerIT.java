package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Somebody else keeps the sessions: Sojourn says so and does nothing. */
class ForeignManagerIT {
    // On loopback, without multicast: it looks for nobody.
    private static final String CLUSTER = """
            <Cluster className="org.apache.catalina.ha.tcp.SimpleTcpCluster" channelStartOptions="3">
              <Channel className="org.apache.catalina.tribes.group.GroupChannel">
                <Receiver className="org.apache.catalina.tribes.transport.nio.NioReceiver" address="127.0.0.1"/>
              </Channel>
            </Cluster>
            """;

    @Test
    void aClusterOfTomcatsOwnIsLeftAlone() throws Exception {
        Server server = new StockTomcat("10.1.54", true, Connector.NIO, CLUSTER).distributable();
        try (Pods pods = new Pods("foreign", server)) {
            assertLeftAlone(pods, "org.apache.catalina.ha.session.DeltaManager");
        }
    }

    @Test
    void redissonsManagerIsLeftAlone() throws Exception {
        RedissonTomcat server = new RedissonTomcat();
        try (Pods pods = new Pods("redisson", server)) {
            server.store(pods.store.port);
            Browser user = assertLeftAlone(pods, "org.redisson.tomcat.RedissonSessionManager");
            String key =
                    "redisson:tomcat_session:" + String.valueOf(user.cookie()).replace("JSESSIONID=", "");
            assertEquals(":1", pods.store.ask("EXISTS " + key));
        }
    }

    @Test
    void anExcludedContextIsLeftAlone() throws Exception {
        StockTomcat server = new StockTomcat("10.1.54", true);
        server.contexts("app");
        try (Pods pods = new Pods("excluded", server)) {
            assertLeftAlone(pods, "contexts.exclude=/app", "it is excluded: context=/app");
        }
    }

    private static Browser assertLeftAlone(Pods pods, String manager) throws Exception {
        return assertLeftAlone(pods, "", "it has a session manager of its own: context=/app manager=" + manager);
    }

    /** @return who has a session there */
    private static Browser assertLeftAlone(Pods pods, String settings, String why) throws Exception {
        Daemon daemon = pods.daemon("a");
        TomcatNode node = pods.tomcat("a", daemon.socket, Release.THIS, "drain.deadline=60s," + settings)
                .awaitStarted();
        Browser user = new Browser();
        try (Watch watch = new Watch(pods.store)) {
            user.get(node, "op=set&name=x&value=1");
            user.get(node, "op=set&name=x&value=2");
            assertEquals("2", user.get(node, "op=get&name=x"));
            assertEquals(List.of(), watch.about(user));
        }
        assertTrue(node.logged().contains("context left alone, " + why), node.logged());
        assertTermWaits(node, user);
        return user;
    }

    /** Nobody needs a hook that sleeps before the pod's end, whoever keeps the sessions. */
    private static void assertTermWaits(TomcatNode node, Browser user) throws Exception {
        CompletableFuture<HttpResponse<String>> inFlight = user.later(node, "op=gated&gate=term&name=x&value=last");
        Nodes.awaitInFlight(node, "term", 1);
        node.terminate();
        Eventually.holds("SIGTERM was seen", Nodes.SOON, () -> node.logged().contains("sojourn: SIGTERM received at="));
        user.get(node, "op=open&gate=term");
        assertEquals(200, inFlight.get(60, TimeUnit.SECONDS).statusCode());
        assertEquals(143, node.exit(60));
    }

    @Test
    void springSessionGoesOnAsIfNothingWere() throws Exception {
        Server boot = new BootJar("3.5.7", true, "--spring.profiles.active=spring-session");
        try (Pods pods = new Pods("spring-session", boot)) {
            Daemon daemon = pods.daemon("a");
            // As quiet as may be: that nothing is kept is not to be overlooked.
            TomcatNode node = pods.tomcat("a", daemon.socket, Release.THIS, "log.level=warn")
                    .awaitStarted();
            Browser user = new Browser();
            try (Watch watch = new Watch(pods.store)) {
                user.get(node, "op=append&name=list&value=x");
                user.get(node, "op=append&name=list&value=y");
                assertEquals("[x, y]", user.get(node, "op=get&name=list"));
                // Its cookie has the name of the container's here, which therefore looks for a login of its own.
                assertFalse(watch.isStored(user));
            }
            pods.store.pause();
            assertEquals("[x, y]", user.get(node, "op=get&name=list"));
            pods.store.resume();
            String logged = node.logged();
            assertTrue(logged.contains("sojourn: warning: the application has Spring Session"), logged);
            assertFalse(logged.contains("sessions are kept by Sojourn"), logged);
        }
    }
}
