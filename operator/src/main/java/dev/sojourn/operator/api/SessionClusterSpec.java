package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the user asks for. A workload's name and a port are enough; the constructors fill in the rest. */
@ValidationRule(
        value = "!has(self.drain) || !has(self.drain.mode) || self.drain.mode != 'Sticky' || !has(self.proxy)"
                + " || (has(self.proxy.enabled) && !self.proxy.enabled)"
                + " || (has(self.proxy.stickiness) && self.proxy.stickiness == 'Cookie')",
        message = "spec.drain.mode: Sticky keeps users by a cookie of Envoy's; set spec.proxy.stickiness: Cookie")
@ValidationRule(
        value = "[self, oldSelf].all(spec, has(spec.store) && has(spec.store.managed))"
                + " || [self, oldSelf].exists(spec, has(spec.store) && has(spec.store.external)"
                + " && !has(spec.store.managed) && !((has(spec.store.next) && has(spec.store.next.managed))"
                + " || (has(spec.store.previous) && has(spec.store.previous.managed))))"
                + " || [self, oldSelf].all(spec, !has(spec.store) || !has(spec.store.managed)"
                + " || (spec.store.managed.topology == 'Standalone'"
                + " && !(has(spec.store.managed.storage) && has(spec.store.managed.storage.storageClassName))"
                + " && !(has(spec.store.managed.ephemeral) && spec.store.managed.ephemeral)))",
        message =
                "spec.store: topology, storage class and ephemeral cannot change, and a store that is not mentioned is"
                        + " Standalone with a volume of its own;" + ManagedStoreSpec.INSTEAD)
@ValidationRule(
        value = "!has(self.replication) || !has(self.replication.acknowledgedBy)"
                + " || (has(self.store) && has(self.store.external))"
                + " || self.replication.acknowledgedBy <= (!has(self.store) || !has(self.store.managed)"
                + " || self.store.managed.topology == 'Standalone' ? 0"
                + " : has(self.store.managed.replicas) ? self.store.managed.replicas"
                + " : self.store.managed.topology == 'Replicated' ? 2 : 1)",
        message =
                "spec.replication.acknowledgedBy: the store has fewer replicas, and no response would ever be confirmed;"
                        + " lower it, or raise spec.store.managed.replicas")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SessionClusterSpec(
        @Required
        @JsonPropertyDescription(
                "The Deployment or StatefulSet whose sessions are kept. It may be changed: what was named"
                        + " before keeps the label in its template, and with it sidecars and sessions, until somebody takes it out.")
        WorkloadRef workload,

        @Nullable
        @JsonPropertyDescription("The container that runs the application."
                + " Default: the one that declares the port; where none declares any, the first.")
        String container,

        @Required
        @Min(1)
        @Max(65535)
        @JsonPropertyDescription("The port at which the application serves HTTP in its pods.")
        int port,

        @JsonPropertyDescription("How the application names its sessions.")
        SessionSpec session,

        @JsonPropertyDescription("When a response may leave, seen from the store.")
        ReplicationSpec replication,

        @JsonPropertyDescription("Where the sessions live. Default: a managed store.")
        StoreSpec store,

        @JsonPropertyDescription("The Envoy in front of the application.")
        ProxySpec proxy,

        @JsonPropertyDescription("What happens to a pod's users when the pod is to go.")
        DrainSpec drain,

        @JsonPropertyDescription("How the agent treats sessions in the application's JVM.")
        AgentSpec agent,

        @JsonPropertyDescription("How pods come by their sidecar and agent.")
        InjectionSpec injection) {

    public SessionClusterSpec {
        session = Objects.requireNonNullElseGet(session, () -> new SessionSpec(null));
        replication = Objects.requireNonNullElseGet(replication, () -> new ReplicationSpec(null, null, null));
        store = Objects.requireNonNullElseGet(store, () -> new StoreSpec(null, null, null, null));
        proxy = Objects.requireNonNullElseGet(proxy, ProxySpec::defaults);
        drain = Objects.requireNonNullElseGet(drain, () -> new DrainSpec(null, null));
        agent = Objects.requireNonNullElseGet(agent, AgentSpec::defaults);
        injection = Objects.requireNonNullElseGet(injection, InjectionSpec::defaults);
    }
}
