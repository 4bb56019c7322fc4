package dev.sojourn.operator.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sojourn.operator.api.ManagedStoreSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** What a store's pods find in {@code /config}: their configuration, and the scripts that lead them through their life. */
final class StoreFiles {

    private StoreFiles() {}

    static Map<String, String> of(ManagedStoreSpec spec) {
        var files = new TreeMap<String, String>();
        files.put("valkey.conf", ValkeyConf.render(spec));
        switch (spec.topology()) {
            case Standalone -> {}
            case Replicated -> {
                files.put("common.sh", resource("common.sh"));
                files.put("replicated.sh", resource("replicated.sh"));
                files.put("sentinel.conf", resource("sentinel.conf"));
            }
            case Sharded -> {
                files.put("common.sh", resource("common.sh"));
                files.put("sharded.sh", resource("sharded.sh"));
            }
        }
        return files;
    }

    private static String resource(String name) {
        try (var stream = StoreFiles.class.getResourceAsStream("/store/" + name)) {
            return new String(Objects.requireNonNull(stream, name).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
