package dev.sojourn.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class StacksTest {
    @Test
    void whatTheAgentHasTheJdkDoIsItsOwnAndWhatTheContainerDoesInsideIsNot() {
        var stacks = new Stacks(List.of(
                "java/lang/Thread.run;org/apache/catalina/Valve.invoke;dev/sojourn/agent/Bridge.call 1",
                "java/lang/Thread.run;dev/sojourn/agent/client/Line.read;java/io/X.read;__GI_read;[vdso] 2",
                "java/lang/Thread.run;dev/sojourn/agent/Valve.invoke;org/apache/catalina/Valve.invoke;java/util/Map.get 7",
                "java/lang/Thread.run;dev/sojourn/bench/app/Servlet.doGet 8",
                "start_thread;Compile::Compile 2"));
        assertEquals(20, stacks.samples());
        assertEquals(15, stacks.agentPercent());
    }
}
