package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import org.apache.catalina.Container;
import org.apache.catalina.Valve;
import org.apache.catalina.authenticator.SingleSignOn;

/**
 * Tomcat's own single sign-on: who has logged in to one application of a host is logged in to the others. Which users these are it keeps in this JVM, in no session:
 * another pod asks for the login again, and, what is worse, a logout there leaves it logged in here.
 */
final class SingleSignOns {
    private SingleSignOns() {}

    static void warn(Container context, String label) {
        for (Container around = context.getParent(); around != null; around = around.getParent()) {
            for (Valve valve : around.getPipeline().getValves()) {
                // Not a class of that one: the cluster's replicates what it knows.
                if (valve.getClass() == SingleSignOn.class) {
                    Log.warn(
                            "the SingleSignOn valve knows only in this JVM who has logged in: other pods ask for a login to the next application again, and a"
                                    + " logout there does not end it here; take it out of server.xml, or let users stay on their pods: context="
                                    + label);
                    return;
                }
            }
        }
    }
}
