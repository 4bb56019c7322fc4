package dev.sojourn.e2e;

import io.fabric8.kubernetes.client.dsl.LogWatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The application's log of a pod, followed to its end: once the pod is gone nobody can ask for it. */
final class PodLog {
    private PodLog() {}

    /** Line by line from the first one on, in a thread of its own. */
    static void follow(Cluster cluster, String namespace, String pod, Consumer<String> line, Runnable ended) {
        var thread = new Thread(
                () -> {
                    try (LogWatch log = cluster.client()
                                    .pods()
                                    .inNamespace(namespace)
                                    .withName(pod)
                                    .inContainer("tomcat")
                                    .watchLog();
                            var reader = new BufferedReader(
                                    new InputStreamReader(log.getOutput(), StandardCharsets.UTF_8))) {
                        reader.lines().forEach(line);
                    } catch (IOException e) {
                        // The stream breaks with the pod at the latest; either way it has ended.
                    } finally {
                        ended.run();
                    }
                },
                "log of " + pod);
        thread.setDaemon(true);
        thread.start();
    }
}
