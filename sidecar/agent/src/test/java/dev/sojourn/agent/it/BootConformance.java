package dev.sojourn.agent.it;

/** In a Spring Boot executable jar, with Spring Security and beans of the session. */
abstract class BootConformance extends Conformance implements SpringSecurityCases, SpringBeanCases {
    BootConformance(String version, boolean jakarta) {
        super("boot-" + version, new BootJar(version, jakarta));
    }
}
