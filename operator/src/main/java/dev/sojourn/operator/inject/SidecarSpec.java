package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.InjectionSettings.StoreAccess;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.config.IpFamily;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The container and the volumes that a pod is given. */
public record SidecarSpec(String image, String pullPolicy, IpFamily ipFamily, boolean assignedUsers) {

    static final String SHARED_VOLUME = "sojourn";
    static final String SHARED_PATH = "/sojourn";

    /** Health, metrics, and whether the store is reached. */
    public static final int HTTP_PORT = 15900;

    private static final int LOOPBACK_PORT = 15903;

    /** What the variables of each store begin with. */
    static final String STORE = "SOJOURN_STORE_";

    static final String NEXT_STORE = STORE + "NEXT_";
    static final String PREVIOUS_STORE = STORE + "PREVIOUS_";

    /** And what the one that says where it is ends with. */
    static final String URL = "URL";

    /** Volumes are mounted at their names. */
    private static final String STORE_VOLUME = "sojourn-store";

    private static final String OTHER_STORE_VOLUME = "sojourn-other-store";
    private static final String LIMITS_VOLUME = "sojourn-limits";

    /** All that there can be. */
    static final Set<String> VOLUMES = Set.of(SHARED_VOLUME, LIMITS_VOLUME, STORE_VOLUME, OTHER_STORE_VOLUME);

    private static final String LIMITS_PATH = "/sojourn-limits";
    private static final String LIMITS_FILE = "limits.toml";
    private static final long DEFAULT_USER = 65532;

    /** @param meshed whether the proxy of a service mesh is in the pod */
    ObjectNode container(InjectionSettings settings, boolean storeInUse, Optional<Long> user, boolean meshed) {
        var container = json();
        container.put("name", Names.SIDECAR_CONTAINER);
        container.put("image", image);
        container.put("imagePullPolicy", pullPolicy);
        container.putArray("args").add("serve");
        // An init container that goes on running: it starts before the application and is stopped after it.
        container.put("restartPolicy", "Always");
        var env = container.putArray("env");
        environment(env, settings);
        var resources = new SidecarResources(settings.resources());
        variable(env, "SOJOURN_MEMORY", resources.cache());
        variable(env, "SOJOURN_QUEUE", resources.queue());
        if (storeInUse) {
            variable(env, "SOJOURN_STORE_IN_USE", "true");
        }
        port(container.putArray("ports").addObject());
        // The agent's jar is in place before the sidecar listens, and the application starts only then.
        probe(container.putObject("startupProbe"), "/livez", meshed)
                .put("periodSeconds", 1)
                .put("failureThreshold", 30);
        probe(container.putObject("readinessProbe"), "/readyz", meshed).put("periodSeconds", 2);
        container
                .putObject("lifecycle")
                .putObject("preStop")
                .putObject("exec")
                .putArray("command")
                .add("/sojournd")
                .add("drain");
        resources.write(container.putObject("resources"));
        restricted(container.putObject("securityContext"), user);
        var mounts = container.putArray("volumeMounts");
        mounts.addObject().put("name", SHARED_VOLUME).put("mountPath", SHARED_PATH);
        mounts.addObject()
                .put("name", LIMITS_VOLUME)
                .put("mountPath", LIMITS_PATH)
                .put("readOnly", true);
        logins(settings)
                .forEach((name, access) -> mounts.addObject()
                        .put("name", name)
                        .put("mountPath", "/" + name)
                        .put("readOnly", true));
        return container;
    }

    private void environment(ArrayNode env, InjectionSettings settings) {
        variable(env, "SOJOURN_CLUSTER", settings.cluster());
        variable(env, "SOJOURN_MODE", settings.mode());
        store(env, STORE, "/" + STORE_VOLUME, settings.store());
        if (settings.storeOutage() != null) {
            variable(env, "SOJOURN_STORE_OUTAGE", settings.storeOutage().name());
        }
        if (settings.otherStore() != null) {
            var prefix = settings.next() != null ? NEXT_STORE : PREVIOUS_STORE;
            store(env, prefix, "/" + OTHER_STORE_VOLUME, settings.otherStore());
        }
        variable(env, "SOJOURN_SOCKET", SHARED_PATH + "/run/sojourn.sock");
        // For JVMs before Java 16, with a token that the sidecar draws. It goes on without where the application has
        // that port.
        variable(env, "SOJOURN_TCP", "127.0.0.1:" + LOOPBACK_PORT);
        variable(env, "SOJOURN_HTTP", ipFamily.wildcard(HTTP_PORT));
        variable(env, "SOJOURN_INSTALL_AGENT", SHARED_PATH + "/agent");
        if (settings.agentSettings() != null) {
            variable(env, "SOJOURN_AGENT_SETTINGS", settings.agentSettings());
        }
        variable(env, "SOJOURN_LIMITS_FILE", LIMITS_PATH + "/" + LIMITS_FILE);
    }

    private static void store(ArrayNode env, String prefix, String path, StoreAccess access) {
        variable(env, prefix + URL, access.url());
        if (access.credentialsSecret() != null) {
            variable(env, prefix + "USERNAME_FILE", path + "/username");
            variable(env, prefix + "PASSWORD_FILE", path + "/password");
        }
        if (access.caSecret() != null) {
            variable(env, prefix + "CA_FILE", path + "/ca.crt");
        }
        if (access.sentinelSecret() != null) {
            variable(env, prefix + "SENTINEL_USERNAME_FILE", path + "/sentinel-username");
            variable(env, prefix + "SENTINEL_PASSWORD_FILE", path + "/sentinel-password");
        }
        if (access.acknowledgedBy() != null) {
            variable(env, prefix + "REPLICAS_ACK", access.acknowledgedBy().toString());
        }
    }

    /** The stores that somebody has to log in to, by the name of the volume with what it takes. */
    private static Map<String, StoreAccess> logins(InjectionSettings settings) {
        var logins = new LinkedHashMap<String, StoreAccess>();
        logins.put(STORE_VOLUME, settings.store());
        if (settings.otherStore() != null) {
            logins.put(OTHER_STORE_VOLUME, settings.otherStore());
        }
        logins.values().removeIf(access -> !access.hasSecrets());
        return logins;
    }

    private static void variable(ArrayNode env, String name, String value) {
        env.addObject().put("name", name).put("value", value);
    }

    private static void port(ObjectNode port) {
        port.put("name", "sojourn").put("containerPort", HTTP_PORT).put("protocol", "TCP");
    }

    /** From within, behind a mesh: its proxy takes what comes from outside, and refuses the kubelet, which has no certificate. */
    private ObjectNode probe(ObjectNode probe, String path, boolean meshed) {
        if (meshed) {
            probe.putObject("exec")
                    .putArray("command")
                    .add("/sojournd")
                    .add("probe")
                    .add("http://" + ipFamily.loopback(HTTP_PORT) + path);
        } else {
            probe.putObject("httpGet").put("path", path).put("port", HTTP_PORT);
        }
        return probe;
    }

    private void restricted(ObjectNode context, Optional<Long> user) {
        context.put("allowPrivilegeEscalation", false);
        context.put("readOnlyRootFilesystem", true);
        context.put("runAsNonRoot", true);
        if (!assignedUsers || user.isPresent()) {
            // Said, though the image has it too: the pod's own, which may be root, would come before that.
            context.put("runAsUser", user.filter(id -> id != 0).orElse(DEFAULT_USER));
        }
        context.putObject("capabilities").putArray("drop").add("ALL");
        context.putObject("seccompProfile").put("type", "RuntimeDefault");
    }

    /** In memory: nothing of a session ever touches the node's disk. */
    private static ObjectNode sharedVolume() {
        var volume = json().put("name", SHARED_VOLUME);
        volume.putObject("emptyDir").put("medium", "Memory").put("sizeLimit", "32Mi");
        return volume;
    }

    /** What the pod is annotated with, while it runs: without the annotation the file is empty, and the defaults hold. */
    private static ObjectNode limitsVolume() {
        var volume = json().put("name", LIMITS_VOLUME);
        volume.putObject("downwardAPI")
                .putArray("items")
                .addObject()
                .put("path", LIMITS_FILE)
                .putObject("fieldRef")
                .put("apiVersion", "v1")
                .put("fieldPath", "metadata.annotations['" + Names.LIMITS_ANNOTATION + "']");
        return volume;
    }

    /** All that a pod with these settings is given. */
    static List<ObjectNode> volumes(InjectionSettings settings) {
        return Stream.concat(
                        Stream.of(sharedVolume(), limitsVolume()),
                        logins(settings).entrySet().stream()
                                .map(login -> storeVolume(login.getKey(), login.getValue())))
                .toList();
    }

    /** Optional, all of it: a pod that waits for a Secret would be down, one without the store is only lonely. */
    private static ObjectNode storeVolume(String name, StoreAccess access) {
        var volume = json().put("name", name);
        var sources = volume.putObject("projected").putArray("sources");
        if (access.credentialsSecret() != null) {
            login(sources, access.credentialsSecret(), "");
        }
        if (access.sentinelSecret() != null) {
            login(sources, access.sentinelSecret(), "sentinel-");
        }
        if (access.caSecret() != null) {
            secret(sources, access.caSecret()).addObject().put("key", "ca.crt").put("path", "ca.crt");
        }
        return volume;
    }

    private static void login(ArrayNode sources, String name, String prefix) {
        var items = secret(sources, name);
        items.addObject().put("key", "username").put("path", prefix + "username");
        items.addObject().put("key", "password").put("path", prefix + "password");
    }

    private static ArrayNode secret(ArrayNode sources, String name) {
        return sources.addObject()
                .putObject("secret")
                .put("name", name)
                .put("optional", true)
                .putArray("items");
    }

    private static ObjectNode json() {
        return new ObjectNode(JsonNodeFactory.instance);
    }
}
