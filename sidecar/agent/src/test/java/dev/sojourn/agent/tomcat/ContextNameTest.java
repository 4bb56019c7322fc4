package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardEngine;
import org.apache.catalina.core.StandardHost;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of which applications sessions are one another's. */
class ContextNameTest {
    private final StandardEngine engine = new StandardEngine();

    @BeforeEach
    void name() {
        engine.setDefaultHost("Main.example");
    }

    @Test
    void aDefaultHostIsNotNamed() {
        assertEquals("/shop", at("main.example", "/shop", ""));
        assertEquals("", at("MAIN.example", "", ""));
        assertEquals("/shop##2", at("main.example", "/shop", "2"));
    }

    @Test
    void anotherHostIs() {
        assertEquals("tenant.example/shop", at("Tenant.example", "/shop", ""));
        assertEquals("tenant.example", at("tenant.example", "", ""));
        assertEquals("tenant.example/shop##2", at("tenant.example", "/shop", "2"));
    }

    @Test
    void whatIsInNoHostIsNotNamedEither() {
        StandardContext context = new StandardContext();
        context.setPath("/shop");
        assertEquals("/shop", ContextName.of(context));
    }

    private String at(String host, String path, String version) {
        StandardHost parent = new StandardHost();
        parent.setName(host);
        parent.setParent(engine);
        StandardContext context = new StandardContext();
        context.setPath(path);
        context.setWebappVersion(version);
        context.setParent(parent);
        return ContextName.of(context);
    }
}
