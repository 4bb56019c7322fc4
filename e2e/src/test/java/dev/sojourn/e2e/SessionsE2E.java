package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.e2e.load.Browser;
import dev.sojourn.e2e.load.LoggedOut;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

@ExtendWith(World.class)
@ResourceLock(World.SHOP)
@DisplayName("Who operates the cluster sees its sessions, and ends them, in any pod's sidecar")
class SessionsE2E {
    @Test
    @DisplayName(
            "users who are logged in are listed by each pod, and have to log in again after one was told to end all")
    void ended(Shop shop, Cluster cluster) throws Exception {
        shop.awaitProxyRolledOut();
        shop.awaitRolledOut();
        var ann = new Browser(HttpClient.newHttpClient(), shop.address(), "ann");
        ann.login();
        ann.click();
        List<Pod> pods = shop.pods();
        for (Pod pod : pods) {
            assertThat(sessions(cluster, pod)).startsWith("SESSION").doesNotContain("\n0 sessions");
        }
        assertThat(sessions(cluster, pods.get(0), "--all", "--end")).contains(" ended\n");
        assertThatThrownBy(ann::click).isInstanceOf(LoggedOut.class);
        for (Pod pod : pods) {
            assertThat(sessions(cluster, pod)).endsWith("\n0 sessions\n");
        }
    }

    private static String sessions(Cluster cluster, Pod pod, String... options) throws Exception {
        var printed = new ByteArrayOutputStream();
        String[] command = Stream.concat(Stream.of("/sojournd", "sessions"), Stream.of(options))
                .toArray(String[]::new);
        try (var running = cluster.client()
                .pods()
                .resource(pod)
                .inContainer("sojourn")
                .writingOutput(printed)
                .writingError(printed)
                .exec(command)) {
            int code = running.exitCode().get(60, TimeUnit.SECONDS);
            String text = printed.toString(StandardCharsets.UTF_8);
            assertThat(code).as(text).isZero();
            return text;
        }
    }
}
