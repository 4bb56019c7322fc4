package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.drain.Drain;
import dev.sojourn.agent.session.Requests;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Engine;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardEngine;
import org.apache.catalina.core.StandardService;
import org.apache.catalina.valves.SemaphoreValve;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DrainValveTest {
    private final Requests requests = new Requests();
    private final Drain drain = new Drain(requests, 1_000, 600_000, false);
    private StandardEngine engine = new StandardEngine();
    private final AtomicInteger served = new AtomicInteger();

    @BeforeEach
    void build() {
        build(drain);
    }

    @Test
    void whoComesAfterwardsIsRefusedAndTheApplicationIsNotAsked() throws Exception {
        assertEquals(200, ask("curl").getStatus());
        drained();
        Response refused = ask("curl");
        assertEquals(503, refused.getStatus());
        assertEquals("true", refused.getHeader(Drain.REFUSED));
        assertEquals("true", refused.getHeader(Drain.HEADER));
        assertEquals(1, served.get());
    }

    @Test
    void whatTheApplicationHasBegunWithIsNotRefusedWhenItIsDispatchedAgain() throws Exception {
        requests.enter(this, true);
        requests.exit(this, false);
        Drain late = new Drain(requests, 1_000, 0, false);
        build(late);
        late.announce();
        late.awaitQuiet();
        requests.enter(this, false);
        assertEquals(200, ask("curl").getStatus());
    }

    /** Where several versions of an application are deployed: Tomcat looks which of them has it. */
    @Test
    void whoseSessionWasLookedForBeforeTheApplicationIsAskedIsRefusedToo() throws Exception {
        drained();
        requests.enter(this, true);
        requests.current();
        assertEquals(503, ask("curl").getStatus());
    }

    /** As after its stop, it has no semaphore. */
    @Test
    void aValveThatStoodThereBeforeIsNotAsked() throws Exception {
        engine = new StandardEngine();
        engine.getPipeline().addValve(new SemaphoreValve());
        new DrainValve(drain).addOnceTo(engine);
        drained();
        assertEquals(503, ask("curl").getStatus());
    }

    /** What holds it up does so until it waits no longer, after 600 s. */
    @Test
    @Timeout(60)
    void theKubeletsProbesDoNotHoldItUp() throws Exception {
        Thread term = term();
        while (term.isAlive()) {
            ask("kube-probe/1.34");
            Thread.sleep(10);
        }
        assertTrue(drain.refuses());
    }

    @Test
    void whoeverElseComesDoes() throws Exception {
        Thread term = term();
        long began = System.nanoTime();
        // Longer than the quiet it waits for.
        while (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(1_500)) {
            ask("curl");
            Thread.sleep(1);
        }
        assertFalse(drain.refuses());
        term.join();
        assertTrue(drain.refuses());
    }

    @Test
    void aConnectorOnlyStaysOpenWhileItsRequestsAreRefused() throws Exception {
        assertFalse(DrainValve.refusesBehind(new Connector()), "of no service");
        assertFalse(DrainValve.refusesBehind(connector(engine)));
        drained();
        assertTrue(DrainValve.refusesBehind(connector(engine)));
        assertFalse(DrainValve.refusesBehind(connector(new StandardEngine())), "without applications");
        assertFalse(DrainValve.refusesBehind(connector(null)));
    }

    private static Connector connector(@Nullable Engine engine) {
        Service service = new StandardService();
        service.setContainer(engine);
        Connector connector = new Connector();
        connector.setService(service);
        return connector;
    }

    private void build(Drain of) {
        engine = new StandardEngine();
        new DrainValve(of).addOnceTo(engine);
        new DrainValve(of).addOnceTo(engine);
        engine.getPipeline().setBasic(new ValveBase(true) {
            @Override
            public void invoke(Request request, Response response) {
                served.incrementAndGet();
            }
        });
    }

    private void drained() throws Exception {
        term().join();
    }

    /** As when SIGTERM has come. */
    private Thread term() {
        drain.announce();
        Thread term = new Thread(() -> {
            try {
                drain.awaitQuiet();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        term.start();
        return term;
    }

    private Response ask(String agent) throws Exception {
        org.apache.coyote.Request asked = new org.apache.coyote.Request();
        asked.getMimeHeaders().addValue("User-Agent").setString(agent);
        Request request = new Request(new Connector());
        request.setCoyoteRequest(asked);
        Response response = new Response();
        response.setCoyoteResponse(new org.apache.coyote.Response());
        response.setRequest(request);
        engine.getPipeline().getFirst().invoke(request, response);
        return response;
    }
}
