package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sojourn.agent.session.Requests;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ValveBase;
import org.junit.jupiter.api.Test;

class BusyValveTest {
    private final Requests requests = new Requests();

    @Test
    void costsARequestNothingThatUsesNoSession() throws Exception {
        List<Boolean> inside = new ArrayList<>();
        var host = new StandardHost();
        new BusyValve(requests).addOnceTo(host);
        host.getPipeline().setBasic(new ValveBase(true) {
            @Override
            public void invoke(Request request, Response response) {
                inside.add(requests.isInside());
            }
        });
        requests.enter(this, true);

        host.getPipeline().getFirst().invoke(null, null);

        assertEquals(List.of(true), inside);
        assertFalse(requests.isInside());
        assertNull(requests.used());
    }
}
