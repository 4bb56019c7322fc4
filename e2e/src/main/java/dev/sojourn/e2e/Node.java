package dev.sojourn.e2e;

import java.util.ArrayList;
import java.util.List;

/** A node of a kind cluster of ours: a container, that can be killed, and cut off. */
record Node(String name) {

    private static final String NETWORK = "kind";

    /** As when the power fails. */
    void kill() {
        Shell.run("docker", "kill", name);
    }

    void start() {
        Shell.run("docker", "start", name);
    }

    /**
     * {@code kubectl drain}: no new pods for it, and its own are evicted.
     *
     * @param grace how many seconds a pod has to end, whatever it says itself
     */
    void drain(int grace, String... options) {
        var command = new ArrayList<>(List.of(
                "kubectl", "drain", name, "--ignore-daemonsets", "--delete-emptydir-data", "--grace-period=" + grace));
        command.addAll(List.of(options));
        Shell.run(command.toArray(String[]::new));
    }

    void uncordon() {
        Shell.run("kubectl", "uncordon", name);
    }

    /** @return its address, to be given back */
    String cutOff() {
        String address = Shell.run(
                        "docker",
                        "inspect",
                        "-f",
                        "{{(index .NetworkSettings.Networks \"" + NETWORK + "\").IPAddress}}",
                        name)
                .trim();
        Shell.run("docker", "network", "disconnect", NETWORK, name);
        return address;
    }

    void heal(String address) {
        Shell.run("docker", "network", "connect", "--ip", address, NETWORK, name);
    }

    /** What is started from a manifest on the node, such as its API server, ends when the manifest is taken away. */
    void takeAway(String manifest) {
        Shell.run("docker", "exec", name, "mv", "/etc/kubernetes/manifests/" + manifest, "/root/" + manifest);
    }

    void putBack(String manifest) {
        Shell.run("docker", "exec", name, "mv", "/root/" + manifest, "/etc/kubernetes/manifests/" + manifest);
    }
}
