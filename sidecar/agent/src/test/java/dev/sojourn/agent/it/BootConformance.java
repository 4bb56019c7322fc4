package dev.sojourn.agent.it;

/** In a Spring Boot executable jar, with Spring Security. */
abstract class BootConformance extends Conformance implements SpringSecurityCases {
    BootConformance(String version, boolean jakarta) {
        super("boot-" + version, new BootJar(version, jakarta));
    }
}
