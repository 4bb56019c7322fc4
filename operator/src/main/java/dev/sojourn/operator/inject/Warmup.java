package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSettings;

/** Injects a pod that nobody has: loading the classes takes longer than all that follows, and the first real pod would wait for it. */
final class Warmup {

    private Warmup() {}

    static void run(Injector injector) {
        var pod = new ObjectNode(JsonNodeFactory.instance);
        pod.putObject("metadata");
        pod.putObject("spec").putArray("containers").addObject().put("name", "app");
        var settings = InjectionSettings.plain("none.none", "redis://none", "none", "none");
        Patch.between(pod, injector.inject(pod, settings, true).pod());
    }
}
