package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ExternalStoreSpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.secret.SecretData;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreProbe;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store brought along, and its Secrets. */
final class ExternalStore {

    private final ExternalStoreSpec spec;
    private final String namespace;
    private final String path;
    private final List<String> missing = new ArrayList<>();
    private final Map<String, String> credentials;
    private final Map<String, String> sentinel;
    private final Map<String, String> ca;

    /** @param path of its field in the SessionCluster */
    ExternalStore(SessionCluster primary, Context<SessionCluster> context, ExternalStoreSpec spec, String path) {
        this.spec = spec;
        this.path = path;
        namespace = primary.getMetadata().getNamespace();
        credentials = read(context, primary, spec.credentialsSecret(), "credentialsSecret", "password");
        sentinel = read(context, primary, spec.sentinelCredentialsSecret(), "sentinelCredentialsSecret", "password");
        ca = read(context, primary, spec.caSecret(), "caSecret", "ca.crt");
    }

    private Map<String, String> read(
            Context<SessionCluster> context, SessionCluster primary, @Nullable String name, String field, String key) {
        if (name == null) {
            return Map.of();
        }
        var data = Observer.secretData(primary, context, name);
        if (data == null || !data.containsKey(key)) {
            missing.add(path + "." + field + ": "
                    + (data == null ? "there is no Secret " + name : "Secret " + name + " has no key " + key)
                    + "; create it");
            return Map.of();
        }
        return data;
    }

    /** What there is to mend before it can be asked. */
    List<String> missing() {
        return missing;
    }

    /** @param here the operator's own namespace */
    Optional<StoreProbe.Result> probe(StoreProbe probe, String here) {
        return missing.isEmpty()
                ? Optional.of(probe.probe(new StoreProbe.Target(
                        spec.url(),
                        namespace.equals(here) ? null : namespace,
                        Login.of(credentials),
                        Login.of(sentinel),
                        SecretData.text(ca, "ca.crt").orElse(null))))
                : Optional.empty();
    }
}
