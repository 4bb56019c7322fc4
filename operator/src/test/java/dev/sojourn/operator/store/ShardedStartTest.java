package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a pod of a sharded store does that was a primary until a moment ago: what was confirmed last may be in its replica only. */
class ShardedStartTest {

    private static final String PRIMARY =
            "one 10.0.0.1:6379@16379,shop-store-0 myself,master - 0 0 3 connected 0-5460\nvars currentEpoch 5\n";

    @TempDir
    private Path directory;

    private StoreScript script;

    @BeforeEach
    void programs() throws IOException {
        script = new StoreScript(directory, "sharded.sh");
        Files.createDirectories(script.path("data"));
        script.write("data/nodes.conf", PRIMARY);
        script.asked("""
                case "$5 $6" in
                  "cluster nodes") echo "two $2:6379@16379 $(cat $POD_FILES/flags) $(cat $POD_FILES/follows) 0 0 3 connected" ;;
                  "info replication") printf 'role:slave\\r\\nmaster_link_status:down\\r\\n' ; cat $POD_FILES/down ;;
                esac
                """);
        script.write("flags", "myself,slave");
        script.write("follows", "one");
        script.write("down", "master_link_down_since_seconds:1\r\n");
        script.program("sleep", "printf + >>$POD_FILES/waited");
        script.write("waited", "");
    }

    @AfterEach
    void stop() {
        script.close();
    }

    @Test
    void leavesItsPlaceToTheReplicaThatHasJustLostIt() throws Exception {
        script.program("sleep", "printf + >>$POD_FILES/waited; echo another >$POD_FILES/follows");

        assertThat(script.run("give_way").waitFor()).isZero();

        assertThat(script.path("waited")).hasContent("+");
    }

    @Test
    void takesItsPlaceAgainWhereNoReplicaIsPromoted() throws Exception {
        assertThat(script.run("give_way").waitFor()).isZero();

        assertThat(script.path("waited")).hasContent("++++++++++");
    }

    /** Started anew themselves, followers of another one, or away. */
    @ParameterizedTest
    @CsvSource({"one, -1", "one, 1764086400", "another, 1", "'', 1"})
    void doesNotWaitForOthers(String follows, String secondsDown) throws Exception {
        script.write("follows", follows);
        script.write("down", "master_link_down_since_seconds:" + secondsDown + "\r\n");

        assertThat(script.run("give_way").waitFor()).isZero();

        assertThat(script.path("waited")).isEmptyFile();
    }

    /** Led to this one, it has not copied yet: it may not be elected. */
    @Test
    void doesNotWaitForOneThatMayNotBeElected() throws Exception {
        script.write("flags", "myself,slave,nofailover");

        assertThat(script.run("give_way").waitFor()).isZero();

        assertThat(script.path("waited")).isEmptyFile();
    }

    @ParameterizedTest
    @CsvSource({"'myself,slave two 0 0 3 connected'", "'myself,master - 0 0 3 connected'", "''"})
    void doesNotWaitWhereItWasNoPrimaryWithSlots(String flags) throws Exception {
        script.write("data/nodes.conf", flags.isEmpty() ? "" : "one 10.0.0.1:6379@16379 " + flags + "\n");

        assertThat(script.run("give_way").waitFor()).isZero();

        assertThat(script.path("waited")).isEmptyFile();
    }
}
