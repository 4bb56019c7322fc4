package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.dependent.Amounts;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether a pod is of Kubernetes' class Guaranteed but for the sidecar. Pure. */
final class ServiceQuality {

    private static final List<String> COUNTED = List.of("cpu", "memory");

    private ServiceQuality() {}

    static Optional<String> lost(JsonNode pod, SidecarResources sidecar) {
        return sidecar.areGuaranteed() || isOfThePod(pod) || !others(pod).allMatch(ServiceQuality::isGuaranteed)
                ? Optional.empty()
                : Optional.of(
                        "the containers' requests equal their limits, and the sidecar's do not: the pods are Burstable"
                                + " instead of Guaranteed, have no processors of their own (cpuManagerPolicy: static), and are killed"
                                + " sooner where a node's memory runs out; set spec.injection.resources.requests and .limits to the"
                                + " same amounts, such as {cpu: 500m, memory: 128Mi}");
    }

    /** Where the pod has resources as a whole they alone decide, and the sidecar has its share of them. */
    private static boolean isOfThePod(JsonNode pod) {
        return Stream.of("requests", "limits")
                .anyMatch(kind -> !pod.at("/spec/resources").path(kind).isEmpty());
    }

    private static Stream<JsonNode> others(JsonNode pod) {
        return RawPod.containers(pod)
                .filter(container -> !container.path("name").asText().equals(Names.SIDECAR_CONTAINER));
    }

    private static boolean isGuaranteed(JsonNode container) {
        var resources = container.path("resources");
        return COUNTED.stream().allMatch(name -> {
            var limit = resources.path("limits").path(name);
            var request = resources.path("requests").path(name);
            // What has only a limit requests just that.
            return limit.isValueNode() && (request.isMissingNode() || Amounts.isSame(amount(request), amount(limit)));
        });
    }

    private static Quantity amount(JsonNode amount) {
        return new Quantity(amount.asText());
    }
}
