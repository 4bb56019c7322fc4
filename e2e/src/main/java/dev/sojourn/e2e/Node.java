package dev.sojourn.e2e;

import java.util.ArrayList;
import java.util.List;

/** A node of a kind cluster of ours: a container, that can be killed, and cut off. */
record Node(String name) {

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

    /** Nothing gets in or out any more; what is on it goes on running. */
    void cutOff() {
        filter("-I");
    }

    void heal() {
        filter("-D");
    }

    private void filter(String change) {
        for (String rule : List.of("INPUT -i", "OUTPUT -o", "FORWARD -i", "FORWARD -o")) {
            Shell.run("docker", "exec", name, "sh", "-c", "iptables -w " + change + " " + rule + " eth0 -j DROP");
        }
    }

    /** What is started from a manifest on the node, such as its API server, ends when the manifest is taken away. */
    void takeAway(String manifest) {
        Shell.run("docker", "exec", name, "mv", "/etc/kubernetes/manifests/" + manifest, "/root/" + manifest);
    }

    void putBack(String manifest) {
        Shell.run("docker", "exec", name, "mv", "/root/" + manifest, "/etc/kubernetes/manifests/" + manifest);
    }
}
