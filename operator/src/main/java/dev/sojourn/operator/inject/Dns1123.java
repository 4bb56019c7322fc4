package dev.sojourn.operator.inject;

import java.util.regex.Pattern;

/**
 * What names of objects are made of. An API server shows a pod to webhooks before it looks at the pod's own names and labels: until then
 * they may be anything, and what comes by the port from elsewhere at any time.
 */
final class Dns1123 {

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern SUBDOMAIN = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

    private Dns1123() {}

    /** As each namespace's name is. */
    static boolean isLabel(String name) {
        return name.length() <= 63 && LABEL.matcher(name).matches();
    }

    /** As most objects' names are. */
    static boolean isSubdomain(String name) {
        return name.length() <= 253 && SUBDOMAIN.matcher(name).matches();
    }
}
