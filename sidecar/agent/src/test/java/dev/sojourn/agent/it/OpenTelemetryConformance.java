package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Beside an agent that hooks the same methods of the container, and wraps the same threads. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class OpenTelemetryConformance extends TwoNodes
        implements SharingCases, ResponseCases, ServletCases, ListenerCases {
    private static final String OURS = "sojourn: agent ";
    private static final String THEIRS = "VersionLogger - opentelemetry-javaagent";
    private static final Pattern COMPLAINT =
            Pattern.compile("^sojourn: (warning|the ).*|^\\[otel\\.javaagent .* (WARN|ERROR) .*|.*\\bLinkageError\\b.*"
                    + "|.*\\b(NoClassDefFound|Verify|ClassFormat|IncompatibleClassChange)Error\\b.*");

    OpenTelemetryConformance(String name, Server server) {
        super(name, new ChangedCommand(server, new BesideOpenTelemetry()));
    }

    @Test
    void oneNodeHasItInFrontOfOursTheOtherBehindIt() throws Exception {
        assertOrder(THEIRS, OURS, a().logged());
        assertOrder(OURS, THEIRS, b().logged());
    }

    @Test
    void requestsThatUseTheirSessionHaveASpan() throws Exception {
        for (TomcatNode node : List.of(a(), b())) {
            user().get(node, "op=set&name=x&value=traced");
            Eventually.holds(
                    "a span",
                    SOON,
                    () -> node.logged()
                            .lines()
                            .anyMatch(line -> line.contains("'GET /app/do'")
                                    && line.contains("tracer: io.opentelemetry.tomcat-")
                                    && line.contains("value=traced")));
        }
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void nobodyComplains() throws Exception {
        assertEquals(List.of(), complaints(a()));
        assertEquals(List.of(), complaints(b()));
    }

    private static void assertOrder(String first, String second, String log) {
        assertTrue(log.contains(first) && log.indexOf(first) < log.indexOf(second), log);
    }

    private static List<String> complaints(TomcatNode node) throws IOException {
        return node.logged()
                .lines()
                .filter(line -> COMPLAINT.matcher(line).matches())
                // One that cannot leave its node on purpose: ListenerCases.
                .filter(line -> !line.contains("class=testapp.Bound"))
                .toList();
    }
}
