package dev.sojourn.agent.tomcat;

import java.util.Locale;
import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;

/**
 * What the names of an application's sessions begin with: hosts, and versions of one application that are deployed side by side, have sessions of their own,
 * as the container has it. No path begins as a host's name does.
 */
final class ContextName {
    private ContextName() {}

    static String of(Context context) {
        String version = context.getWebappVersion();
        return otherHost(context.getParent())
                + context.getPath()
                + (version == null || version.isEmpty() ? "" : "##" + version);
    }

    /** Empty for the default host, which is all that most have. */
    private static String otherHost(Container host) {
        Container engine = host == null ? null : host.getParent();
        boolean isOther =
                engine instanceof Engine && !host.getName().equalsIgnoreCase(((Engine) engine).getDefaultHost());
        return isOther ? host.getName().toLowerCase(Locale.ROOT) : "";
    }
}
