package dev.sojourn.agent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PremainTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdk.jcmd/sun.tools.jcmd.JCmd",
                "jdk.compiler/com.sun.tools.javac.Main Test.java",
                "java.base/sun.security.tools.keytool.Main -list",
                "sun.tools.jps.Jps",
                "com.sun.tools.javac.Main"
            })
    void theJdksToolsAreLeftAlone(String command) {
        assertTrue(Premain.isTool(command));
    }

    @Test
    void serversAreNot() {
        assertFalse(Premain.isTool("org.apache.catalina.startup.Bootstrap start"));
        assertFalse(Premain.isTool("/app/shop.jar"));
        assertFalse(Premain.isTool(null));
    }
}
