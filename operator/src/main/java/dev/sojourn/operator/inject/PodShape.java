package dev.sojourn.operator.inject;

import java.util.List;

/**
 * What of a pod, or of a pod template, decides whether and where it can be injected.
 *
 * @param initContainers their names, and
 * @param volumes theirs
 * @param injected whether some of them are ours: it is seen again, or was copied from one that was injected
 */
public record PodShape(
        List<ContainerPorts> containers,
        List<String> initContainers,
        List<String> volumes,
        boolean injected,
        boolean hostNetwork,
        boolean windows) {

    public PodShape {
        containers = List.copyOf(containers);
        initContainers = List.copyOf(initContainers);
        volumes = List.copyOf(volumes);
    }

    /** A container and the ports it declares. */
    public record ContainerPorts(String name, List<Integer> ports) {

        public ContainerPorts {
            ports = List.copyOf(ports);
        }
    }
}
