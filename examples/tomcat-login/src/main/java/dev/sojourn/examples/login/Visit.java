package dev.sojourn.examples.login;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** What the application remembers of a user: an ordinary mutable bean, changed in place and never put back. */
final class Visit implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int PAGES_KEPT = 10;

    private final ArrayList<String> lastPods = new ArrayList<>();
    private int clicks;

    synchronized int click(String pod) {
        lastPods.add(pod);
        if (lastPods.size() > PAGES_KEPT) {
            lastPods.remove(0);
        }
        return ++clicks;
    }

    synchronized int clicks() {
        return clicks;
    }

    synchronized List<String> lastPods() {
        return List.copyOf(lastPods);
    }
}
