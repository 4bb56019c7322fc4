package dev.sojourn.operator;

import dev.sojourn.operator.config.ServedNamespaces;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** Which namespaces there are to watch is settled before anything reads the settings. */
@QuarkusMain
public class Main {

    private static final String NAMESPACES = "WATCH_NAMESPACES";

    public static void main(String... arguments) {
        var named = System.getenv(NAMESPACES);
        if (named != null) {
            System.setProperty("sojourn.named-namespaces", named);
            try (var client = new KubernetesClientBuilder().build()) {
                System.setProperty(NAMESPACES, new ServedNamespaces(client).among(named));
            }
        }
        Quarkus.run(arguments);
    }
}
