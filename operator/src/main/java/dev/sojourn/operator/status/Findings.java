package dev.sojourn.operator.status;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.StorePodStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All that a status tells. */
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
        InjectionSettings settings) {}
