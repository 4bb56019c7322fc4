package dev.sojourn.operator.dependent;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPortBuilder;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Ports in a network policy. */
public final class PolicyPorts {

    /**
     * A policy sees the port of the pod that answers, not that of its Service: the DNS of OpenShift answers at the second, and of a
     * policy with the first only no pod there resolves any name.
     */
    private static final List<Integer> DNS = List.of(53, 5353);

    private PolicyPorts() {}

    public static List<NetworkPolicyPort> dns() {
        return DNS.stream()
                .flatMap(number -> Stream.of(port("UDP", number), port("TCP", number)))
                .toList();
    }

    public static List<NetworkPolicyPort> tcp(int... numbers) {
        return IntStream.of(numbers).mapToObj(number -> port("TCP", number)).toList();
    }

    private static NetworkPolicyPort port(String protocol, int number) {
        return new NetworkPolicyPortBuilder()
                .withProtocol(protocol)
                .withPort(new IntOrString(number))
                .build();
    }
}
