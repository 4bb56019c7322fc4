package dev.sojourn.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigTest {
    @TempDir
    Path folder;

    @Test
    void argumentBeatsEnvironmentBeatsFile() throws IOException {
        File file = file("socket=/file\npatience=1s\ndrain.quiet=7ms\n");
        Config config =
                Config.load("socket=/argument", Map.of("SOJOURN_SOCKET", "/env", "SOJOURN_PATIENCE", "2s"), file);
        assertEquals("/argument", config.socket);
        assertEquals(2_000, config.patienceMillis);
        assertEquals(7, config.drainQuietMillis);
        assertTrue(config.problems().isEmpty());
    }

    @Test
    void anUnknownWordIsSaidAndTheDefaultHolds() {
        assertTrue(Config.load("drain.mode=sticky", Map.of(), new File("/nowhere")).drainSticky);
        Config config = Config.load("drain.mode=glued", Map.of(), new File("/nowhere"));
        assertFalse(config.drainSticky);
        assertTrue(config.problems().toString().contains("drain.mode is not one of immediate, sticky: glued"));
    }

    @Test
    void tcpAloneMeansNoSocket() {
        Config config = Config.load("tcp=127.0.0.1:7000", Map.of(), new File("/nowhere"));
        assertNull(config.socket);
        assertEquals("127.0.0.1:7000", config.tcp);
    }

    @Test
    void whatIsEmptyHasItsDefault() throws IOException {
        Map<String, String> empty = Map.of("SOJOURN_SOCKET", "", "SOJOURN_TCP", "", "SOJOURN_TOKEN_FILE", "");
        Config config = Config.load(null, empty, file("tcp=127.0.0.1:7000\n"));
        assertEquals("/sojourn/run/sojourn.sock", config.socket);
        assertNull(config.tcp);
        assertNull(config.tokenFile);
    }

    @Test
    void defaultsNeedNothing() {
        Config config = Config.load(null, Map.of(), new File("/nowhere"));
        assertEquals("/sojourn/run/sojourn.sock", config.socket);
        assertEquals(10_000, config.patienceMillis);
        assertTrue(config.enabled);
    }

    @Test
    void variablesAreTheKeysInUpperCase() {
        assertEquals("SOJOURN_TOKEN_FILE", Config.variable("tokenFile"));
        assertEquals("SOJOURN_AGENT_ENABLED", Config.variable("agent.enabled"));
        assertEquals("SOJOURN_DRAIN_DEADLINE", Config.variable("drain.deadline"));
    }

    @Test
    void mistakesAreToldAndDefaultsHold() throws IOException {
        String wrong = "sokcet=/x,patience=soon,memory.sessions=-1,log.level=loud,nonsense";
        Config config = Config.load(wrong, Map.of(), file(""));
        assertEquals(5, config.problems().size());
        assertEquals(10_000, config.patienceMillis);
        assertEquals(Integer.MAX_VALUE, config.memorySessions);
        assertEquals(Log.Level.INFO, config.logLevel);
    }

    @Test
    void otherVariablesOfOursAreNotMistakes() throws IOException {
        // Kubernetes sets these for a Service that is called sojourn.
        Config config = Config.load(null, Map.of("SOJOURN_PORT", "tcp://10.0.0.1:80"), file(""));
        assertTrue(config.problems().isEmpty());
    }

    @Test
    void switchedOffByEnvironment() throws IOException {
        assertFalse(Config.load(null, Map.of("SOJOURN_AGENT_ENABLED", "false"), file("")).enabled);
    }

    @Test
    void contextsAreAList() throws IOException {
        Config config = Config.load("contexts.exclude=/manager; /", Map.of(), file(""));
        assertEquals(Set.of("/manager", "/"), config.excludedContexts);
    }

    @Test
    void exclusiveIsForAllContextsOrForSome() throws IOException {
        assertFalse(Config.load("", Map.of(), file("")).isExclusive("/shop"));
        assertTrue(Config.load("concurrency=exclusive", Map.of(), file("")).isExclusive("/shop"));
        Config some = Config.load("concurrency=exclusive,concurrency.contexts=/shop;/", Map.of(), file(""));
        assertTrue(some.isExclusive("/shop"));
        assertTrue(some.isExclusive("/"));
        assertFalse(some.isExclusive("/other"));
        assertEquals(
                1,
                Config.load("concurrency=serial", Map.of(), file("")).problems().size());
    }

    @Test
    void groupsHaveCommasOfTheirOwn() throws IOException {
        Config config = Config.load("group=a.*,b;c,patience=1s", Map.of(), file(""));
        assertEquals("a.*,b;c", config.group);
        assertEquals(1_000, config.patienceMillis);
        assertTrue(config.problems().isEmpty());
    }

    private File file(String content) throws IOException {
        return Files.writeString(folder.resolve("sojourn-agent.properties"), content)
                .toFile();
    }
}
