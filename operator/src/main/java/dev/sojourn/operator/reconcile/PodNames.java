package dev.sojourn.operator.reconcile;

import java.util.List;

/** Pods in a sentence: a message is read by people, and a workload may have hundreds. */
final class PodNames {

    private static final int NAMED = 3;

    private PodNames() {}

    static String of(List<String> pods) {
        var named = String.join(", ", pods.subList(0, Math.min(NAMED, pods.size())));
        return pods.size() > NAMED ? named + " and " + (pods.size() - NAMED) + " more" : named;
    }
}
