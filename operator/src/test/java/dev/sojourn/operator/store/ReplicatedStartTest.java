package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a pod does whom the others' Sentinels call the primary, and whose data is gone; and whom a primary asks that leaves: the
 * script itself, with programs in place of the servers. The others drop what they have for it as soon as it starts.
 */
class ReplicatedStartTest {

    private static final String SELF = "store-0.store";
    private static final String STARTING = "the primary is " + SELF;
    /** A machine that is busy may keep an answer away, and then the script asks again. */
    private static final int LONGEST = 30;

    @TempDir
    private Path pod;

    private @Nullable Process script;

    @BeforeEach
    void programs() throws IOException {
        Files.createDirectories(pod.resolve("acl"));
        Files.createDirectories(pod.resolve("data"));
        Files.createDirectories(pod.resolve("config"));
        Files.createDirectories(pod.resolve("bin"));
        Files.writeString(pod.resolve("acl/system-password"), "secret");
        Files.writeString(pod.resolve("config/valkey.conf"), "");
        for (String file : List.of("common.sh", "replicated.sh")) {
            try (var script = StoreFiles.class.getResourceAsStream("/store/" + file)) {
                var text = new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
                Files.writeString(
                        pod.resolve("config/" + file),
                        text.replace("/config/", pod + "/config/")
                                .replace("/acl/", pod + "/acl/")
                                .replace("=/data", "=" + pod + "/data"));
            }
        }
        program("getent", "printf '10.0.0.1 STREAM\\n10.0.0.2 STREAM\\n10.0.0.3 STREAM\\n'");
        program("valkey-server", "true");
        program("valkey-cli", """
                while [ "$1" != -h ]; do shift; done
                case "$4 $5" in
                  "26379 sentinel") echo %s; echo 6379 ;;
                  "6379 info") cat %s/$2 ;;
                esac
                """.formatted(SELF, pod));
    }

    private void program(String name, String text) throws IOException {
        Path file = pod.resolve("bin").resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @AfterEach
    void stop() {
        if (script != null) {
            script.descendants().forEach(ProcessHandle::destroyForcibly);
            script.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({"full, silent", "silent, full", "full, empty", "silent, silent"})
    void waitsWhileAnotherMayHaveData(String second, String third) throws IOException {
        var decisions = start(second, third).filter(line -> line.contains("empty: waiting") || line.contains(STARTING));

        assertThat(decisions.limit(2)).hasSize(2).noneMatch(line -> line.contains(STARTING));
    }

    @ParameterizedTest
    @CsvSource({"empty, empty", "empty, silent"})
    void startsOnceMostAreKnownToBeEmpty(String second, String third) throws IOException {
        assertThat(start(second, third).limit(LONGEST)).anyMatch(line -> line.contains(STARTING));
    }

    @Test
    void startsWithItsData() throws IOException {
        Files.createDirectories(pod.resolve("data/appendonlydir"));

        assertThat(start("full", "full").limit(LONGEST)).anyMatch(line -> line.contains(STARTING));
    }

    /** By numbers of configurations that the Sentinels know: its own, and those of two others. */
    @ParameterizedTest
    @CsvSource({"5, 5, 5, 10.0.0.2", "5, 0, 5, 10.0.0.3", "5, 0, 4, none", "5, '', 6, 10.0.0.3", "'', 0, 0, 10.0.0.2"})
    void handsOverByASentinelThatKnowsNoLess(String own, String second, String third, String asked) throws Exception {
        Files.writeString(pod.resolve("known-127.0.0.1"), own);
        Files.writeString(pod.resolve("known-10.0.0.2"), second);
        Files.writeString(pod.resolve("known-10.0.0.3"), third);
        Files.writeString(pod.resolve("asked"), "none");
        program("valkey-cli", """
                while [ "$1" != -h ]; do shift; done
                case "$4 $5 $6" in
                  "26379 sentinel master") printf 'name\\nsojourn\\nconfig-epoch\\n%%s\\n' "$(cat %s/known-$2)" ;;
                  "26379 sentinel failover") printf %%s "$2" >%s/asked; echo OK ;;
                esac
                """.formatted(pod, pod));

        int exit = run("order_failover").waitFor();

        assertThat(pod.resolve("asked")).hasContent(asked);
        assertThat(exit).isEqualTo(asked.equals("none") ? 1 : 0);
    }

    /** What it says, a line a second while it waits. */
    private Stream<String> start(String second, String third) throws IOException {
        say("10.0.0.2", second);
        say("10.0.0.3", third);
        return run("start").inputReader().lines();
    }

    private Process run(String function) throws IOException {
        var builder = new ProcessBuilder("sh", pod + "/config/replicated.sh", function).redirectErrorStream(true);
        builder.environment().put("PATH", pod + "/bin:" + System.getenv("PATH"));
        builder.environment().put("SELF", SELF);
        builder.environment().put("FIRST", SELF);
        builder.environment().put("SERVICE", "store");
        builder.environment().put("ADDRESS", "10.0.0.1");
        builder.environment().put("PODS", "3");
        script = builder.start();
        return script;
    }

    private void say(String address, String what) throws IOException {
        switch (what) {
            case "full" -> Files.writeString(pod.resolve(address), "# Keyspace\r\ndb0:keys=3,expires=3,avg_ttl=0\r\n");
            case "empty" -> Files.writeString(pod.resolve(address), "# Keyspace\r\n");
            default -> assertThat(what).isEqualTo("silent");
        }
    }
}
