package dev.sojourn.agent.tomcat;

import org.apache.catalina.Container;
import org.apache.catalina.Context;

/** Where Tomcat gives a new session the id of another application's, and so perhaps one that it has had before: Request.doGetSession, ApplicationHttpRequest. */
final class SharedIds {
    private SharedIds() {}

    static boolean arePossible(Context context) {
        return "/".equals(context.getSessionCookiePath()) || isCrossed(context);
    }

    /** Some application of the host may dispatch to others, this one among them. */
    private static boolean isCrossed(Context context) {
        Container host = context.getParent();
        if (host == null) {
            return context.getCrossContext();
        }
        for (Container other : host.findChildren()) {
            if (other instanceof Context && ((Context) other).getCrossContext()) {
                return true;
            }
        }
        return false;
    }
}
