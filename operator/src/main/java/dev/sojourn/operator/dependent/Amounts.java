package dev.sojourn.operator.dependent;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A container's requests and limits, and what is wrong with them: by their path in the spec, for the schema takes any text. Pure. */
public record Amounts(String path, Map<String, Quantity> requests, Map<String, Quantity> limits) {

    /** @param users none where ours are taken */
    public static Amounts of(String path, @Nullable ResourceRequirements users) {
        return new Amounts(
                path,
                orNone(users == null ? null : users.getRequests()),
                orNone(users == null ? null : users.getLimits()));
    }

    private static Map<String, Quantity> orNone(@Nullable Map<String, Quantity> amounts) {
        return Objects.requireNonNullElse(amounts, Map.of());
    }

    /** Why no pod could be made with these. */
    public Optional<String> trouble() {
        return notAnAmount().or(this::moreThanAllowed);
    }

    public Optional<String> notAnAmount() {
        return notAnAmount("requests", requests).or(() -> notAnAmount("limits", limits));
    }

    private Optional<String> notAnAmount(String field, Map<String, Quantity> amounts) {
        return amounts.entrySet().stream()
                .filter(entry ->
                        amount(entry.getValue()).filter(a -> a.signum() >= 0).isEmpty())
                .findFirst()
                .map(entry -> path + "." + field + "." + entry.getKey() + ": " + entry.getValue()
                        + " is no amount; write one such as 100m or 128Mi");
    }

    /** The API server would refuse every pod. */
    public Optional<String> moreThanAllowed() {
        return requests.entrySet().stream()
                .filter(request -> limits.containsKey(request.getKey())
                        && isLess(Objects.requireNonNull(limits.get(request.getKey())), request.getValue()))
                .findFirst()
                .map(request -> path + ".requests." + request.getKey() + ": " + request.getValue()
                        + " is more than the limit of " + limits.get(request.getKey()) + "; raise limits."
                        + request.getKey() + " too");
    }

    /** However they are written. */
    public static boolean isSame(Quantity one, Quantity other) {
        return amount(one)
                .flatMap(amount -> amount(other).map(its -> amount.compareTo(its) == 0))
                .orElse(false);
    }

    public static boolean isLess(Quantity one, Quantity other) {
        return Quantity.getAmountInBytes(one).compareTo(Quantity.getAmountInBytes(other)) < 0;
    }

    private static Optional<BigDecimal> amount(Quantity quantity) {
        try {
            return Optional.of(Quantity.getAmountInBytes(quantity));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty();
        }
    }
}
