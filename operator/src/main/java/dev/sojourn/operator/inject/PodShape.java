package dev.sojourn.operator.inject;

import java.util.List;

/** What of a pod, or of a pod template, decides whether and where it can be injected. */
public record PodShape(List<ContainerPorts> containers, boolean hostNetwork, boolean windows) {

    public PodShape {
        containers = List.copyOf(containers);
    }

    /** A container and the ports it declares. */
    public record ContainerPorts(String name, List<Integer> ports) {

        public ContainerPorts {
            ports = List.copyOf(ports);
        }
    }
}
