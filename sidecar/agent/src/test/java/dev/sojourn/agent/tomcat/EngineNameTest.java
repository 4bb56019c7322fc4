package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.core.Numbers;
import org.apache.catalina.Service;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardEngine;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.core.StandardServer;
import org.apache.catalina.core.StandardService;
import org.junit.jupiter.api.Test;

/** Applications at one path, in several engines of one JVM. */
class EngineNameTest {
    private final Numbers numbers = new Numbers();

    @Test
    void theFirstEngineIsNotNamed() {
        Service only = service(new StandardServer());
        assertEquals("", at(only));
        assertEquals("", at(only));
        assertEquals("", EngineName.of(new StandardContext(), numbers));
    }

    /** Whichever has the application that is there first. */
    @Test
    void aFurtherServiceIsByItsPlaceInTheServer() {
        StandardServer server = new StandardServer();
        Service first = service(server);
        Service second = service(server);
        assertEquals("2:", at(second));
        assertEquals("", at(first));
    }

    /** As Spring Boot's for the management port. */
    @Test
    void aFurtherServerIsByWhenItIsThere() {
        Service application = service(new StandardServer());
        Service management = service(new StandardServer());
        assertEquals("", at(application));
        assertEquals("2:", at(management));
        assertEquals("", at(application));
    }

    /** As a context that is begun again in the same JVM. */
    @Test
    void thoseThatComeAfterOthersHaveTheirNames() throws Exception {
        Service application = service(new StandardServer());
        Service management = service(new StandardServer());
        at(application);
        at(management);
        management.getContainer().destroy();
        application.getContainer().destroy();
        assertEquals("", at(service(new StandardServer())));
        assertEquals("2:", at(service(new StandardServer())));
        assertEquals("3:", at(service(new StandardServer())));
    }

    private static Service service(StandardServer server) {
        StandardService service = new StandardService();
        StandardEngine engine = new StandardEngine();
        service.setName("service" + server.findServices().length);
        engine.setName(service.getName());
        service.setContainer(engine);
        server.addService(service);
        return service;
    }

    private String at(Service service) {
        StandardHost host = new StandardHost();
        StandardContext context = new StandardContext();
        host.setParent(service.getContainer());
        context.setParent(host);
        return EngineName.of(context, numbers);
    }
}
