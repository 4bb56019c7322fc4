package dev.sojourn.operator.inject;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.inject.PodShape.ContainerPorts;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The container that gets the agent; or why there is none. Used by the reconciler and by the webhook, so that they cannot differ. */
public sealed interface Target {

    /** The application's container. */
    record Found(String container) implements Target {}

    /** A condition's reason, and a message that says what to mend. */
    record None(String reason, String message) implements Target {}

    /** Its template was copied from the workload's, most likely; it ends, and serves nobody's sessions. */
    None JOB = new None(
            "JobPod", "the pod is a Job's; remove the label " + Names.CLUSTER_LABEL + " from the Job's template");

    /** The reason of pods that were there before their SessionCluster: nobody has judged them. */
    String NO_SESSION_CLUSTER = "NoSessionCluster";

    static Target choose(PodShape pod, InjectionSettings settings) {
        if (pod.windows()) {
            return new None("WindowsPod", "the pods run on Windows; the sidecar is for Linux");
        }
        if (pod.hostNetwork()) {
            return new None(
                    "HostNetwork",
                    "the pods use hostNetwork, where two sidecars on one node would share a port; remove hostNetwork");
        }
        var taken = taken(pod, settings);
        if (taken.isPresent()) {
            return taken.get();
        }
        var wanted = settings.container();
        return wanted != null ? named(pod, wanted, settings.port()) : byPort(pod, settings.port());
    }

    /** What the sidecar brings goes by its name: the user's own would be replaced, or the API server would refuse the pod. */
    private static Optional<None> taken(PodShape pod, InjectionSettings settings) {
        if (pod.injected()) {
            return Optional.empty();
        }
        var containers =
                Stream.concat(pod.containers().stream().map(ContainerPorts::name), pod.initContainers().stream());
        var ours = SidecarSpec.volumes(settings).stream()
                .map(volume -> volume.path("name").asText())
                .toList();
        return containers
                .filter(Names.SIDECAR_CONTAINER::equals)
                .map(name -> "container named " + name)
                .findFirst()
                .or(() -> pod.volumes().stream()
                        .filter(ours::contains)
                        .map(name -> "volume named " + name)
                        .findFirst())
                .map(what -> new None("NameTaken", "the pods have a " + what + ", as the sidecar's is; rename yours"));
    }

    private static Target named(PodShape pod, String wanted, int port) {
        var container = pod.containers().stream()
                .filter(candidate -> candidate.name().equals(wanted))
                .findFirst();
        if (container.isEmpty()) {
            var names = pod.containers().stream().map(ContainerPorts::name).collect(Collectors.joining(", "));
            return new None(
                    "ContainerNotFound",
                    "spec.container: the pods have no container " + wanted + "; they have: " + names);
        }
        var ports = container.get().ports();
        return ports.isEmpty() || ports.contains(port) ? new Found(wanted) : noPort(port, List.of(container.get()));
    }

    private static Target byPort(PodShape pod, int port) {
        // A mesh's proxy is in the pod, not in the template; it may be the first, and declares ports of its own.
        var containers =
                pod.containers().stream().filter(c -> !Mesh.isProxy(c.name())).toList();
        var declaring =
                containers.stream().filter(c -> c.ports().contains(port)).findFirst();
        if (declaring.isPresent()) {
            return new Found(declaring.get().name());
        }
        // containerPort is documentation to Kubernetes: without any, the spec is believed.
        var silent = containers.stream().allMatch(c -> c.ports().isEmpty());
        return silent && !containers.isEmpty() ? new Found(containers.get(0).name()) : noPort(port, containers);
    }

    private static None noPort(int port, List<ContainerPorts> containers) {
        var there = containers.stream()
                .flatMap(container -> container.ports().stream().map(p -> p + " (" + container.name() + ")"))
                .collect(Collectors.joining(", "));
        return new None(
                "PortNotFound",
                "spec.port: no container declares port " + port + "; declared are: " + there
                        + "; set one of them, or name a container that declares none with spec.container");
    }
}
