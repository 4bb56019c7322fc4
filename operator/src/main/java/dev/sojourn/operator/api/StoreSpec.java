package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** Where the sessions live. */
@ValidationRule(
        value = "!(has(self.managed) && has(self.external)) || " + StoreSpec.OTHER_IS_MANAGED,
        message = "spec.store: set either managed or external, not both; remove one, or say which of them sessions come"
                + " from or go to: previous: {managed: true}, or next: {managed: true}")
@ValidationRule(
        value = "has(self.external) || !" + StoreSpec.OTHER_IS_MANAGED,
        message = "spec.store: next or previous is the managed store, which without external is the store itself;"
                + " set external, or name another one there")
@ValidationRule(
        value = "!(has(self.next) && has(self.previous))",
        message = "spec.store: set either next or previous, not both: sessions move in one direction at a time")
@ValidationRule(
        value = "!has(self.external) || !((has(self.next) && has(self.next.external)"
                + " && self.next.external.url == self.external.url) || (has(self.previous)"
                + " && has(self.previous.external) && self.previous.external.url == self.external.url))",
        message = "spec.store: next or previous is the store itself; name another one there, or remove it")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StoreSpec(
        @Nullable
        @JsonPropertyDescription(
                "A Valkey that the operator runs. This is the default. Beside external: what next or previous is.")
        ManagedStoreSpec managed,

        @Nullable @JsonPropertyDescription("A Redis-compatible store brought along.")
        ExternalStoreSpec external,

        @Nullable
        @JsonPropertyDescription(
                "The store that sessions will move to: pods find there what others have taken along already."
                        + " The first of three steps by which a cluster changes its store while its users stay logged in.")
        OtherStoreSpec next,

        @Nullable
        @JsonPropertyDescription(
                "The store that sessions come from: each is taken over when it is used, and all others in the"
                        + " background. To be removed when the sidecars say that it is empty.")
        OtherStoreSpec previous) {

    static final String OTHER_IS_MANAGED = "((has(self.next) && has(self.next.managed) && self.next.managed)"
            + " || (has(self.previous) && has(self.previous.managed) && self.previous.managed))";

    public StoreSpec {
        var runs = external == null || (next != null && next.isManaged()) || (previous != null && previous.isManaged());
        managed = managed == null && runs ? ManagedStoreSpec.defaults() : managed;
    }

    /** The second store, whichever way sessions move. */
    @JsonIgnore
    public @Nullable OtherStoreSpec other() {
        return next != null ? next : previous;
    }

    /** Where a spec says it. */
    public String otherPath() {
        return next != null ? "spec.store.next" : "spec.store.previous";
    }
}
