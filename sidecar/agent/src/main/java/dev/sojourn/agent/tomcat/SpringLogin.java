package dev.sojourn.agent.tomcat;

import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** Who is logged in by Spring Security, which keeps a login in an attribute and does not tell the container. */
final class SpringLogin {
    /** {@code HttpSessionSecurityContextRepository.SPRING_SECURITY_CONTEXT_KEY}. */
    static final String ATTRIBUTE = "SPRING_SECURITY_CONTEXT";

    private SpringLogin() {}

    /** Null: nobody, or the value is no {@code SecurityContext} that can be asked. */
    static @Nullable String user(Object context) {
        try {
            // By its name: Spring's types are the application's.
            Object authentication =
                    context.getClass().getMethod("getAuthentication").invoke(context);
            return authentication instanceof Principal ? ((Principal) authentication).getName() : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
