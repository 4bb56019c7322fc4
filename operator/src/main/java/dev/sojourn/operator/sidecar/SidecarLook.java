package dev.sojourn.operator.sidecar;

import java.util.Map;

/**
 * What the sidecars of a workload said last.
 *
 * @param asked how many
 * @param answers of those that did answer, by the names of their pods
 */
public record SidecarLook(int asked, Map<String, SidecarHealth> answers) {

    /** Nobody has been asked yet. */
    public static final SidecarLook NONE = new SidecarLook(0, Map.of());

    public SidecarLook {
        answers = Map.copyOf(answers);
    }
}
