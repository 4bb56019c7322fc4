package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** What the JVM itself says in the end: of native access, of agents that come late, of methods that are to go. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
interface QuietJvmCases extends Nodes {
    @Test
    @Order(Integer.MAX_VALUE)
    default void theJvmWarnsOfNothing() throws Exception {
        for (TomcatNode node : List.of(a(), b())) {
            List<String> warnings = node.logged()
                    .lines()
                    .filter(line -> line.startsWith("WARNING: ") || line.contains(" VM warning: "))
                    // Tomcat's, where its start takes long; its log's lines begin the same way.
                    .filter(line -> !line.contains("Creation of SecureRandom instance"))
                    .toList();
            assertEquals(List.of(), warnings);
        }
    }
}
