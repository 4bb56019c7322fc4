package dev.sojourn.agent.tomcat;

import org.apache.catalina.Context;

/** An application that has Spring Session has none of the container's sessions, and Sojourn nothing to keep: to be said, for all else looks as if it did. */
final class SpringSession {
    /** The filter that it puts before an application; the name is part of its documented API. */
    private static final String FILTER = "springSessionRepositoryFilter";

    private SpringSession() {}

    /** Known once the application's initializers have run, which they have when its manager starts. */
    static boolean isIn(Context context) {
        return context.findFilterDef(FILTER) != null;
    }

    static String complaint(String label) {
        return "the application has Spring Session, its sessions are kept by that and not by Sojourn: context=" + label
                + "; if Sojourn shall keep them take Spring Session out of its dependencies, or, with Spring Boot 3 and"
                + " before, set spring.autoconfigure.exclude="
                + "org.springframework.boot.autoconfigure.session.SessionAutoConfiguration";
    }
}
