package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSpec.Resources;
import dev.sojourn.operator.dependent.Amounts;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the sidecar asks for and may use at most: a default, but for what the user names. */
public final class SidecarResources {

    private static final String PATH = "spec.injection.resources";

    private static final BigDecimal MEBIBYTE = BigDecimal.valueOf(1 << 20);

    private static final Quantity LEAST_MEMORY = new Quantity("96Mi");

    /** What the largest session needs that there may be, while it is committed. */
    private static final Quantity USUAL_MEMORY = new Quantity("128Mi");

    private final Map<String, Quantity> requests =
            new TreeMap<>(Map.of("cpu", new Quantity("10m"), "memory", new Quantity("24Mi")));

    /** No CPU limit by default: throttling would be felt in every request. */
    private final Map<String, Quantity> limits = new TreeMap<>(Map.of("memory", USUAL_MEMORY));

    public SidecarResources(@Nullable Resources users) {
        if (users != null) {
            requests.putAll(Objects.requireNonNullElse(users.requests(), Map.of()));
            limits.putAll(Objects.requireNonNullElse(users.limits(), Map.of()));
        }
    }

    /** Always some of each: a namespace with a quota refuses containers without. */
    void write(ObjectNode resources) {
        write(resources.putObject("requests"), requests);
        write(resources.putObject("limits"), limits);
    }

    /** Whether pods of Kubernetes' class Guaranteed stay that. */
    boolean areGuaranteed() {
        return Stream.of("cpu", "memory")
                .allMatch(name -> limits.containsKey(name)
                        && Amounts.isSame(
                                Objects.requireNonNull(requests.get(name)), Objects.requireNonNull(limits.get(name))));
    }

    /**
     * What it may hold of sessions, which give way to large commits on their way: one is there up to six times over, as a value, a record,
     * a command, and in the buffers of connections.
     */
    String cache() {
        return mebibytes(1, 3);
    }

    /** What it may hold of commits while the store is away. */
    String queue() {
        return mebibytes(3, 16);
    }

    private String mebibytes(int part, int of) {
        var limit = Quantity.getAmountInBytes(Objects.requireNonNull(limits.get("memory")));
        var bytes = limit.multiply(BigDecimal.valueOf(part)).divide(BigDecimal.valueOf(of), RoundingMode.DOWN);
        return bytes.divide(MEBIBYTE, 0, RoundingMode.DOWN) + "MiB";
    }

    private static void write(ObjectNode node, Map<String, Quantity> amounts) {
        amounts.forEach((name, amount) -> node.put(name, amount.toString()));
    }

    /** Why no pod could be made with these, or why none should. */
    public Optional<String> trouble() {
        var amounts = new Amounts(PATH, requests, limits);
        return amounts.notAnAmount().or(this::tooLittleMemory).or(amounts::moreThanAllowed);
    }

    /** It may hold so much of sessions, and of commits while the store is away; with less it would be killed just then. */
    private Optional<String> tooLittleMemory() {
        return Amounts.isLess(Objects.requireNonNull(limits.get("memory")), LEAST_MEMORY)
                ? Optional.of(PATH + ".limits.memory: " + limits.get("memory")
                        + " is too little for the sidecar; give it " + LEAST_MEMORY + " or more")
                : Optional.empty();
    }
}
