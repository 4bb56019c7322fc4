package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.inject.PodShape.ContainerPorts;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads what we need from a pod as it came over the wire: fields newer than our models are never dropped, because never parsed. */
final class RawPod {

    /** What becomes a part of an event, beside the name. An API server shows it to webhooks before it has looked at it. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9./-]{1,253}");

    private RawPod() {}

    static PodShape shape(JsonNode pod) {
        var containers = new ArrayList<ContainerPorts>();
        for (var container : pod.at("/spec/containers")) {
            var ports = new ArrayList<Integer>();
            container
                    .path("ports")
                    .forEach(port -> ports.add(port.path("containerPort").asInt()));
            containers.add(new ContainerPorts(container.path("name").asText(), ports));
        }
        var windows = pod.at("/spec/os/name").asText().equals("windows")
                || pod.at("/spec/nodeSelector/kubernetes.io~1os").asText().equals("windows");
        return new PodShape(
                containers,
                names(pod.at("/spec/initContainers")),
                names(pod.at("/spec/volumes")),
                !annotation(pod, Names.INJECTED_ANNOTATION).isEmpty(),
                pod.at("/spec/hostNetwork").asBoolean(),
                windows);
    }

    /** Those that run before the application, or beside it from its start, included. */
    static Stream<JsonNode> containers(JsonNode pod) {
        return Stream.of("/spec/initContainers", "/spec/containers")
                .flatMap(place -> StreamSupport.stream(pod.at(place).spliterator(), false));
    }

    private static List<String> names(JsonNode items) {
        var names = new ArrayList<String>();
        items.forEach(item -> names.add(item.path("name").asText()));
        return names;
    }

    static boolean isOfJob(JsonNode pod) {
        for (var owner : pod.at("/metadata/ownerReferences")) {
            if (owner.path("kind").asText().equals("Job")) {
                return true;
            }
        }
        return false;
    }

    /** Who makes one like it when it goes, such as a ReplicaSet; the pod itself is not there yet. */
    static Optional<HasMetadata> controller(JsonNode pod, String namespace) {
        return StreamSupport.stream(pod.at("/metadata/ownerReferences").spliterator(), false)
                .filter(owner -> owner.path("controller").asBoolean() && canBeTold(owner))
                .<HasMetadata>map(owner -> new GenericKubernetesResourceBuilder()
                        .withApiVersion(owner.path("apiVersion").asText())
                        .withKind(owner.path("kind").asText())
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(owner.path("name").asText())
                        .withUid(owner.path("uid").asText())
                        .endMetadata()
                        .build())
                .findFirst();
    }

    /** The event's name begins with its owner's. */
    private static boolean canBeTold(JsonNode owner) {
        return Dns1123.isSubdomain(owner.path("name").asText())
                && Stream.of("apiVersion", "kind", "uid")
                        .allMatch(field ->
                                PLAIN.matcher(owner.path(field).asText()).matches());
    }

    static String annotation(JsonNode pod, String name) {
        return pod.at("/metadata/annotations").path(name).asText("");
    }

    static String label(JsonNode pod, String name) {
        return pod.at("/metadata/labels").path(name).asText("");
    }
}
