package dev.sojourn.operator.status;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.StorePodStatus;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that a status tells.
 *
 * @param settings what pods are given from now on; nothing before there is a store for the first of them
 */
public record Findings(
        Finding store,
        Finding proxy,
        Finding injection,
        int injectedPods,
        int totalPods,
        String storeEndpoint,
        boolean storeReached,
        List<StorePodStatus> storePods,
        @Nullable String proxyEndpoint,
        Optional<InjectionSettings> settings) {}
