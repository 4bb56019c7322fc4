package dev.sojourn.agent.tomcat;

import java.io.Serializable;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.catalina.Container;
import org.apache.catalina.Valve;
import org.apache.catalina.authenticator.FormAuthenticator;
import org.apache.catalina.authenticator.SingleSignOn;
import org.apache.catalina.realm.GenericPrincipal;
import org.jspecify.annotations.Nullable;

/** What Tomcat knows of logins in one JVM only, so that users of several pods meet what they do not expect: to be said, for nothing else tells why. */
final class LocalLogins {
    private LocalLogins() {}

    static List<String> complaints(Container context, String label) {
        List<String> complaints = new ArrayList<>();
        for (Valve valve : context.getPipeline().getValves()) {
            // It logs in anew at each request, by a password that it keeps among the session's notes: no password is
            // stored.
            if (valve instanceof FormAuthenticator && !((FormAuthenticator) valve).getCache()) {
                complaints.add(
                        "FormAuthenticator with cache=false keeps a login in this JVM: other pods ask for the password at each request; take cache=\"false\""
                                + " out of the valve: context="
                                + label);
            }
        }
        for (Container around = context.getParent(); around != null; around = around.getParent()) {
            for (Valve valve : around.getPipeline().getValves()) {
                // Not a class of that one: the cluster's replicates what it knows.
                if (valve.getClass() == SingleSignOn.class) {
                    complaints.add(
                            "the SingleSignOn valve knows only in this JVM who has logged in: other pods ask for a login to the next application again, and a"
                                    + " logout there does not end it here; take it out of server.xml, or let users stay on their pods: context="
                                    + label);
                }
            }
        }
        return complaints;
    }

    /** Tomcat's principal leaves out the application's own where it cannot write it, and is the user's principal itself from then on. */
    static Optional<String> complaint(@Nullable Principal principal, String label) {
        return Optional.ofNullable(principal)
                .filter(GenericPrincipal.class::isInstance)
                .map(of -> ((GenericPrincipal) of).getUserPrincipal())
                .filter(own -> !(own instanceof Serializable))
                .map(own ->
                        "the principal of a login is not serializable: other pods have a GenericPrincipal with the same name and roles in its place; make"
                                + " its class serializable: context="
                                + label + " class=" + own.getClass().getName());
    }
}
