package dev.sojourn.operator.inject;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.InjectionSettings.StoreAccess;
import dev.sojourn.operator.api.Names;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The stores that a sidecar was told of when its pod was injected, by their URLs: the one that it keeps sessions in and, while they move,
 * the other one. A pod says so itself: its annotation is a hash, which names only settings that are still at hand.
 */
public record KnownStores(String main, @Nullable String other) {

    /** Nothing of a pod that has no sidecar. */
    public static Optional<KnownStores> of(Pod pod) {
        return variable(pod, SidecarSpec.STORE)
                .map(main -> new KnownStores(
                        main,
                        variable(pod, SidecarSpec.NEXT_STORE)
                                .or(() -> variable(pod, SidecarSpec.PREVIOUS_STORE))
                                .orElse(null)));
    }

    public static KnownStores of(InjectionSettings settings) {
        return new KnownStores(
                settings.storeUrl(),
                Optional.ofNullable(settings.otherStore()).map(StoreAccess::url).orElse(null));
    }

    public boolean include(String url) {
        return url.equals(main) || url.equals(other);
    }

    private static Optional<String> variable(Pod pod, String store) {
        return Stream.ofNullable(pod.getSpec())
                .flatMap(spec -> spec.getInitContainers().stream())
                .filter(container -> Names.SIDECAR_CONTAINER.equals(container.getName()))
                .flatMap(container -> container.getEnv().stream())
                .filter(variable -> (store + SidecarSpec.URL).equals(variable.getName()))
                .map(EnvVar::getValue)
                .filter(value -> value != null)
                .findFirst();
    }
}
