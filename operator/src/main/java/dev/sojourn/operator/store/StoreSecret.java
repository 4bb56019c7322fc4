package dev.sojourn.operator.store;

import static java.util.Objects.requireNonNull;

import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.secret.SecretData;
import dev.sojourn.operator.store.StoreConnections.Login;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.TreeMap;

/** User, password, and the ACL file made of them. The password is drawn once and then kept for good. */
@KubernetesDependent(informer = @Informer(name = StoreSecret.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreSecret extends OwnedResource<Secret> {

    public static final String NAME = "store-secret";
    public static final String COMPONENT = "store";
    static final String SELECTOR = "app.kubernetes.io/managed-by=sojourn,app.kubernetes.io/component=" + COMPONENT;

    static final String ACL_FILE = "users.acl";
    static final String SENTINEL_ACL_FILE = "sentinel.acl";
    static final String SYSTEM_PASSWORD = "system-password";
    private static final String PASSWORD = "password";

    private static final SecureRandom RANDOM = new SecureRandom();

    public StoreSecret() {
        super(Secret.class, COMPONENT);
    }

    @Override
    protected boolean isOnlyKept(SessionCluster primary) {
        return StoreManaged.isOnlyKept(primary);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }

    @Override
    protected Secret desired(SessionCluster primary, Context<SessionCluster> context) {
        var existing = existing(primary, context);
        var password = kept(existing, PASSWORD);
        var data = new TreeMap<String, String>();
        data.put("username", SecretData.encode(StoreAcl.USER));
        data.put(PASSWORD, SecretData.encode(password));
        if (requireNonNull(primary.getSpec().store().managed()).topology() == Topology.Standalone) {
            data.put(ACL_FILE, SecretData.encode(StoreAcl.standalone(password)));
        } else {
            var system = kept(existing, SYSTEM_PASSWORD);
            data.put(SYSTEM_PASSWORD, SecretData.encode(system));
            data.put(ACL_FILE, SecretData.encode(StoreAcl.withPeers(password, system)));
            data.put(SENTINEL_ACL_FILE, SecretData.encode(StoreAcl.sentinel(password, system)));
        }
        return new SecretBuilder()
                .withMetadata(metadata(primary))
                .withType("Opaque")
                .withData(data)
                .build();
    }

    /** As whom the sidecars ask. */
    static Optional<Login> login(Secret secret) {
        return SecretData.text(secret, PASSWORD).map(password -> new Login(StoreAcl.USER, password));
    }

    /** As whom pods ask each other; there is none where there is only one. */
    public static Optional<Login> systemLogin(Secret secret) {
        return SecretData.text(secret, SYSTEM_PASSWORD).map(password -> new Login(StoreAcl.SYSTEM, password));
    }

    private static String kept(Optional<Secret> existing, String key) {
        return existing.flatMap(secret -> SecretData.text(secret, key)).orElseGet(StoreSecret::draw);
    }

    /** Asks the API server when the cache knows nothing: a second password would lock every running pod out. */
    private Optional<Secret> existing(SessionCluster primary, Context<SessionCluster> context) {
        return getSecondaryResource(primary, context)
                .or(() -> Optional.ofNullable(context.getClient()
                        .secrets()
                        .inNamespace(primary.getMetadata().getNamespace())
                        .withName(nameFor(primary))
                        .get()))
                .filter(secret -> secret.getData() != null);
    }

    private static String draw() {
        var bytes = new byte[24];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
