package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Every request on a virtual thread of its own, as {@code spring.threads.virtual.enabled} has it from JDK 21 on. How sessions end, and what outages
 * do, is no matter of that: {@link Tomcat11OnJdk25IT} has it.
 */
@EnabledIf(value = "dev.sojourn.agent.it.Jdk#hasNew", disabledReason = Jdk.NEW_NEEDED)
class Boot4VirtualThreadsIT extends TwoNodes
        implements SharingCases,
                ResponseCases,
                ServletCases,
                ObjectCases,
                ListenerCases,
                DrainCases,
                SpringSecurityCases,
                QuietJvmCases {
    Boot4VirtualThreadsIT() throws Exception {
        super(
                "boot-4.1.0-virtual-threads",
                Jdk.NEW.running(new BootJar("4.1.0", true, "--spring.threads.virtual.enabled=true")));
    }

    @Test
    void requestsAreOnVirtualThreads() throws Exception {
        String thread = user().get(a(), "op=thread");
        assertTrue(thread.startsWith("VirtualThread"), thread);
    }
}
