package dev.sojourn.operator.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The script of a store's pod, as it is in the pod, with programs in place of the servers and of the DNS. */
final class StoreScript implements AutoCloseable {

    static final String SELF = "shop-store-0.shop-store.web.svc";

    private final Path pod;
    private final String file;

    /** In a pod of three, whose address is 10.0.0.1; its data is gone. */
    StoreScript(Path pod, String file) {
        this.pod = pod;
        this.file = file;
        write("acl/system-password", "secret");
        write("config/valkey.conf", "");
        for (String name : List.of("common.sh", file)) {
            write("config/" + name, resource(name));
        }
        program("getent", "printf '10.0.0.1 STREAM\\n10.0.0.2 STREAM\\n10.0.0.3 STREAM\\n'");
        program("valkey-server", "true");
        // Nobody hangs here: where all stands still the real one would take an answer for none.
        program("timeout", "shift\nexec \"$@\"");
    }

    Path path(String name) {
        return pod.resolve(name);
    }

    void write(String file, String text) {
        try {
            Files.createDirectories(path(file).getParent());
            Files.writeString(path(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param text in shell; {@code $POD_FILES} is where {@link #write} writes */
    void program(String name, String text) {
        write("bin/" + name, "#!/bin/sh\n" + text);
        path("bin/" + name).toFile().setExecutable(true);
    }

    /** In place of {@code valkey-cli}: {@code $2} is whom it asks, {@code $4} the port, then the command. */
    void asked(String text) {
        program("valkey-cli", "while [ \"$1\" != -h ]; do shift; done\n" + text);
    }

    Process run(String function) throws IOException {
        var builder = new ProcessBuilder("sh", path("config/" + file).toString(), function);
        builder.redirectErrorStream(true);
        builder.environment().put("PATH", path("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("POD_FILES", pod.toString());
        builder.environment().put("POD", "shop-store-0");
        builder.environment().put("SELF", SELF);
        builder.environment().put("FIRST", SELF);
        builder.environment().put("SERVICE", "store");
        builder.environment().put("ADDRESS", "10.0.0.1");
        builder.environment().put("PODS", "3");
        return builder.start();
    }

    /** Also what it has left in the background, which still writes where JUnit is about to delete. */
    @Override
    public void close() {
        for (var left = left(); !left.isEmpty(); left = left()) {
            left.forEach(ProcessHandle::destroyForcibly);
            Thread.onSpinWait();
        }
    }

    private List<ProcessHandle> left() {
        return ProcessHandle.allProcesses().filter(this::isOurs).toList();
    }

    private boolean isOurs(ProcessHandle one) {
        try {
            var environment = Files.readString(Path.of("/proc/" + one.pid() + "/environ"), StandardCharsets.ISO_8859_1);
            return environment.contains("POD_FILES=" + pod + '\0');
        } catch (IOException e) {
            // It has ended, or is somebody else's.
            return false;
        }
    }

    private String resource(String name) {
        try (var script = StoreFiles.class.getResourceAsStream("/store/" + name)) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8)
                    .replace("/config/", pod + "/config/")
                    .replace("/acl/", pod + "/acl/")
                    .replace("=/data", "=" + pod + "/data");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
