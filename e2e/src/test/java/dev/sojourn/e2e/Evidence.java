package dev.sojourn.e2e;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What somebody who was not there needs, written to {@code target/e2e/<scenario>/}: events, objects, logs, the store's keys. */
final class Evidence {
    private static final int LOG_LINES = 2000;

    private final Cluster cluster;

    Evidence(Cluster cluster) {
        this.cluster = cluster;
    }

    void collect(ExtensionContext context) {
        Path folder = Path.of(
                "target",
                "e2e",
                (context.getRequiredTestClass().getSimpleName() + "-" + context.getDisplayName())
                        .replaceAll("[^A-Za-z0-9.-]+", "_"));
        namespaces().forEach(namespace -> write(folder, namespace));
        System.out.println("evidence: " + folder.toAbsolutePath());
    }

    private List<String> namespaces() {
        return cluster.client().namespaces().list().getItems().stream()
                .map(namespace -> namespace.getMetadata().getName())
                .filter(name -> name.startsWith("e2e-") || name.equals(Cluster.SYSTEM))
                .toList();
    }

    private void write(Path folder, String namespace) {
        var client = cluster.client();
        var pods = client.pods().inNamespace(namespace).list().getItems();
        save(folder.resolve(namespace + ".pods.yaml"), Serialization.asYaml(pods));
        save(
                folder.resolve(namespace + ".sessionclusters.yaml"),
                Serialization.asYaml(client.genericKubernetesResources(Shop.SESSION_CLUSTER)
                        .inNamespace(namespace)
                        .list()
                        .getItems()));
        save(folder.resolve(namespace + ".events.txt"), events(namespace));
        save(folder.resolve(namespace + ".keys.txt"), storeKeys(namespace));
        for (Pod pod : pods) {
            Stream.concat(
                            pod.getStatus().getInitContainerStatuses().stream(),
                            pod.getStatus().getContainerStatuses().stream())
                    .map(ContainerStatus::getName)
                    .forEach(container -> log(folder, pod, container));
        }
    }

    /** The store's keys and how often each was written, from its append-only file: its users may not list them. */
    private String storeKeys(String namespace) {
        var store = cluster.client().pods().inNamespace(namespace).withName(Shop.NAME + "-store-0");
        if (store.get() == null) {
            return "";
        }
        var keys = new ByteArrayOutputStream();
        String list = "grep -aohE 'sj:\\{[0-9a-f]+\\}:[^[:space:]]+' /data/appendonlydir/* | sort | uniq -c";
        try (var listing = store.writingOutput(keys).writingError(keys).exec("sh", "-c", list)) {
            listing.exitCode().get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | KubernetesClientException e) {
            return "no keys: " + e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return keys.toString(StandardCharsets.UTF_8);
    }

    private String events(String namespace) {
        return cluster.client().v1().events().inNamespace(namespace).list().getItems().stream()
                .map(event -> String.join(
                        " ",
                        String.valueOf(event.getLastTimestamp()),
                        event.getType(),
                        event.getInvolvedObject().getKind() + "/"
                                + event.getInvolvedObject().getName(),
                        event.getReason(),
                        event.getMessage()))
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    private void log(Path folder, Pod pod, String container) {
        var metadata = pod.getMetadata();
        var log = cluster.client()
                .pods()
                .inNamespace(metadata.getNamespace())
                .withName(metadata.getName())
                .inContainer(container);
        Path file = folder.resolve(metadata.getNamespace() + "." + metadata.getName() + "." + container + ".log");
        try {
            save(file, log.tailingLines(LOG_LINES).getLog());
        } catch (KubernetesClientException e) {
            save(file, "no log: " + e.getMessage());
        }
    }

    private static void save(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
