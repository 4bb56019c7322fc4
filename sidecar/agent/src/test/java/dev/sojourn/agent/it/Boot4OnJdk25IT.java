package dev.sojourn.agent.it;

import org.junit.jupiter.api.condition.EnabledIf;

/** How sessions end, and what outages do, is no matter of the JVM: {@link Tomcat11OnJdk25IT} has that. */
@EnabledIf(value = "dev.sojourn.agent.it.Jdk25#isHere", disabledReason = Jdk25.NEEDED)
class Boot4OnJdk25IT extends TwoNodes
        implements SharingCases,
                ResponseCases,
                ServletCases,
                ObjectCases,
                ListenerCases,
                DrainCases,
                SpringSecurityCases,
                QuietJvmCases {
    Boot4OnJdk25IT() throws Exception {
        super("boot-4.1.0-jdk25", Jdk25.on(new BootJar("4.1.0", true)));
    }
}
