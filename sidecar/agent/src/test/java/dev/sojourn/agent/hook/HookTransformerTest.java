package dev.sojourn.agent.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Who keeps sessions elsewhere is named, once. */
class HookTransformerTest {
    @Test
    void webFluxIsNamedThoughItsTomcatIsSupported() throws Exception {
        String said = loading("org/springframework/http/server/reactive/ServletHttpHandlerAdapter");
        assertEquals(1, said.lines().count(), said);
        assertTrue(said.contains("WebSessions are not the container's and stay in this JVM"), said);
    }

    @Test
    void serversAreNamed() throws Exception {
        String said = loading("org/eclipse/jetty/server/Server");
        assertEquals(1, said.lines().count(), said);
        assertTrue(said.contains("org.eclipse.jetty.server.Server"), said);
    }

    /** In a JVM of its own: what is said once, and to the standard error of its start. */
    private static String loading(String name) throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Loading.class.getName(),
                        name)
                .redirectErrorStream(true)
                .start();
        String said = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, jvm.waitFor(), said);
        return said;
    }

    static final class Loading {
        public static void main(String[] args) {
            HookTransformer transformer = new HookTransformer();
            for (int i = 0; i < 2; i++) {
                assertNull(transformer.transform(null, args[0], null, null, new byte[0]));
            }
        }
    }
}
