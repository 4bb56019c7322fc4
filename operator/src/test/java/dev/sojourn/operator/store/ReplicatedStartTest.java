package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a pod does whom the others' Sentinels call the primary, and whose data is gone; and whom a primary asks that leaves. The
 * others drop what they have for it as soon as it starts.
 */
class ReplicatedStartTest {

    private static final String STARTING = "the primary is " + StoreScript.SELF;
    private static final String ANOTHER = "shop-store-1.shop-store.web.svc";
    /** A machine that is busy may keep an answer away, and then the script asks again. */
    private static final int LONGEST = 30;

    @TempDir
    private Path directory;

    private StoreScript script;

    @BeforeEach
    void programs() throws IOException {
        script = new StoreScript(directory, "replicated.sh");
        Files.createDirectories(script.path("data"));
        script.write("told", StoreScript.SELF);
        script.asked("""
                case "$4 $5" in
                  "26379 sentinel") cat $POD_FILES/told; echo; echo 6379 ;;
                  "6379 info") cat $POD_FILES/$2 ;;
                esac
                """);
    }

    @AfterEach
    void stop() {
        script.close();
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
        Files.createDirectories(script.path("data/appendonlydir"));

        assertThat(start("full", "full").limit(LONGEST)).anyMatch(line -> line.contains(STARTING));
        assertThat(script.path("data/server.conf")).content().doesNotContain("replicaof", "replica-priority");
    }

    /** What was confirmed last may be in its replicas only. */
    @ParameterizedTest
    @CsvSource({"up, ''", "down, 2"})
    void leavesThePlaceToAReplicaThatHasJustLostIt(String link, String seconds) throws Exception {
        Files.createDirectories(script.path("data/appendonlydir"));
        replicas(link, seconds);
        // Sentinels find out while it waits.
        script.program("sleep", "printf %s " + ANOTHER + " >$POD_FILES/told");

        assertThat(script.run("start").waitFor()).isZero();

        assertThat(script.path("data/server.conf")).content().contains("replicaof " + ANOTHER + " 6379");
    }

    @Test
    void takesItsPlaceAgainWhereNoReplicaIsPromoted() throws Exception {
        Files.createDirectories(script.path("data/appendonlydir"));
        replicas("down", "2");
        script.program("sleep", "true");

        assertThat(script.run("start").waitFor()).isZero();

        assertThat(script.path("data/server.conf")).content().doesNotContain("replicaof");
    }

    /** They have been started anew themselves: -1 says Redis 7, a time since 1970 says Redis 6. */
    @ParameterizedTest
    @CsvSource({"-1", "1764086400", "300"})
    void doesNotWaitForReplicasThatHaveHadNoPrimary(String seconds) throws IOException {
        Files.createDirectories(script.path("data/appendonlydir"));
        replicas("down", seconds);

        assertThat(script.run("start").inputReader().lines().limit(LONGEST))
                .noneMatch(line -> line.contains("waiting"))
                .anyMatch(line -> line.contains(STARTING));
    }

    @Test
    void isNotPromotedAsAReplicaThatNeverHadAnything() throws Exception {
        script.write("told", ANOTHER);

        assertThat(script.run("start").waitFor()).isZero();

        assertThat(script.path("data/server.conf"))
                .content()
                .contains("replicaof " + ANOTHER + " 6379")
                .contains("replica-priority 0");
    }

    @Test
    void mayBePromotedAsAReplicaWithData() throws Exception {
        script.write("told", ANOTHER);
        Files.createDirectories(script.path("data/appendonlydir"));

        assertThat(script.run("start").waitFor()).isZero();

        assertThat(script.path("data/server.conf"))
                .content()
                .contains("replicaof " + ANOTHER + " 6379")
                .doesNotContain("replica-priority");
    }

    /** Ready as soon as it has what its primary has; promoted, if it comes to that, from then on. */
    @ParameterizedTest
    @CsvSource({"down, 0, 1, none", "up, 0, 0, 100", "up, 100, 0, none"})
    void mayBePromotedOnceItHasWhatItsPrimaryHas(String link, int priority, int exit, String set) throws Exception {
        script.write("replication", """
                role:slave
                master_link_status:%s
                slave_priority:%d
                """.formatted(link, priority));
        script.write("set", "none");
        script.asked("""
                case "$5 $6 $7" in
                  "info replication ") cat $POD_FILES/replication ;;
                  "config set replica-priority") printf %s "$8" >$POD_FILES/set; echo OK ;;
                esac
                """);

        assertThat(script.run("ready").waitFor()).isEqualTo(exit);

        assertThat(script.path("set")).hasContent(set);
    }

    /** A probe with another password than the server's is answered by nobody, and the roll that brings it would wait for ever. */
    @ParameterizedTest
    @CsvSource({"secret, true", "another, false"})
    void endsOnceThereIsAnotherPassword(String password, boolean goesOn) throws Exception {
        script.asked("");
        // As a server writes it when a Sentinel has changed its primary.
        script.write("data/server.conf", "masteruser \"system\"\nmasterauth \"secret\"\n");
        var server = new ProcessBuilder("sleep", "60").start();
        script.write("data/server.started", server.pid() + " " + password + "\n");
        try {
            script.run("ready").waitFor();

            assertThat(server.waitFor(goesOn ? 1 : 20, TimeUnit.SECONDS)).isEqualTo(!goesOn);
        } finally {
            server.destroyForcibly();
        }
    }

    /** By numbers of configurations that the Sentinels know: its own, and those of two others. */
    @ParameterizedTest
    @CsvSource({"5, 5, 5, 10.0.0.2", "5, 0, 5, 10.0.0.3", "5, 0, 4, none", "5, '', 6, 10.0.0.3", "'', 0, 0, 10.0.0.2"})
    void handsOverByASentinelThatKnowsNoLess(String own, String second, String third, String asked) throws Exception {
        script.write("known-127.0.0.1", own);
        script.write("known-10.0.0.2", second);
        script.write("known-10.0.0.3", third);
        script.write("asked", "none");
        script.asked("""
                case "$4 $5 $6" in
                  "26379 sentinel master") printf 'name\\nsojourn\\nconfig-epoch\\n%s\\n' "$(cat $POD_FILES/known-$2)" ;;
                  "26379 sentinel failover") printf %s "$2" >$POD_FILES/asked; echo OK ;;
                esac
                """);

        int exit = script.run("order_failover").waitFor();

        assertThat(script.path("asked")).hasContent(asked);
        assertThat(exit).isEqualTo(asked.equals("none") ? 1 : 0);
    }

    /** What it says, a line a second while it waits. */
    private Stream<String> start(String second, String third) throws IOException {
        say("10.0.0.2", second);
        say("10.0.0.3", third);
        return script.run("start").inputReader().lines();
    }

    private void replicas(String link, String secondsDown) {
        for (var address : List.of("10.0.0.2", "10.0.0.3")) {
            script.write(
                    address,
                    "role:slave\r\nmaster_link_status:%s\r\nmaster_link_down_since_seconds:%s\r\n"
                            .formatted(link, secondsDown));
        }
    }

    private void say(String address, String what) {
        switch (what) {
            case "full" -> script.write(address, "# Keyspace\r\ndb0:keys=3,expires=3,avg_ttl=0\r\n");
            case "empty" -> script.write(address, "# Keyspace\r\n");
            default -> assertThat(what).isEqualTo("silent");
        }
    }
}
