package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a replica may be elected that the operator has led to another primary. */
class ShardedStandingTest {

    @TempDir
    private Path directory;

    private StoreScript script;

    @BeforeEach
    void programs() {
        script = new StoreScript(directory, "sharded.sh");
        script.asked("""
                case "$5 $6" in
                  "cluster nodes") echo "two $2:6379@16379 $(cat $POD_FILES/flags) one 0 0 3 connected" ;;
                  "info replication") printf 'role:slave\\r\\n' ; cat $POD_FILES/link ;;
                  *) shift 4; echo "$*" >>$POD_FILES/told; cat $POD_FILES/answer; exit $(cat $POD_FILES/result) ;;
                esac
                """);
        script.write("flags", "myself,slave,nofailover");
        script.write("link", "master_link_status:up\r\n");
        script.write("told", "");
        script.write("answer", "OK");
        script.write("result", "0");
    }

    @AfterEach
    void stop() {
        script.close();
    }

    @Test
    void onceItHasWhatItsPrimaryHas() throws Exception {
        assertThat(script.run("ready").waitFor()).isZero();
        assertThat(script.path("told")).hasContent("config set cluster-replica-no-failover no");
    }

    @Test
    void notBefore() throws Exception {
        script.write("link", "master_link_status:down\r\nmaster_sync_in_progress:1\r\n");
        script.program("sleep", "true");
        assertThat(script.run("ready").waitFor()).isNotZero();
        assertThat(script.path("told")).isEmptyFile();
    }

    /** Until the next probe its primary may be lost, and nobody would be elected. */
    @Test
    void asSoonAsItHasCopiedNotOnlyAtTheNextProbe() throws Exception {
        script.write("link", "master_link_status:down\r\nmaster_sync_in_progress:1\r\n");
        script.program("sleep", "printf 'master_link_status:up\\r\\n' >$POD_FILES/link");
        assertThat(script.run("ready").waitFor()).isZero();
        assertThat(script.path("told")).hasContent("config set cluster-replica-no-failover no");
    }

    /** A roll of the store takes the next pod, which may be its primary, once all are ready. */
    @Test
    void itIsNotReadyBeforeThat() throws Exception {
        script.write("result", "1");
        assertThat(script.run("ready").waitFor()).isNotZero();
    }

    /** One that has lost its primary is to stand, and who may is not told again at each probe. */
    @ParameterizedTest
    @CsvSource({"up, 0", "down, 1"})
    void whoStandsGoesOnStanding(String link, int result) throws Exception {
        script.write("flags", "myself,slave");
        script.write("link", "master_link_status:" + link + "\r\n");
        assertThat(script.run("ready").waitFor()).isEqualTo(result);
        assertThat(script.path("told")).isEmptyFile();
    }
}
