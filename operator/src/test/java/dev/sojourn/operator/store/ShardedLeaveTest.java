package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** To whom a primary hands over that is to go. */
class ShardedLeaveTest {

    @TempDir
    private Path directory;

    private StoreScript script;

    @BeforeEach
    void programs() {
        script = new StoreScript(directory, "sharded.sh");
        script.asked("""
                case "$2 $5 $6" in
                  "127.0.0.1 cluster nodes") cat $POD_FILES/nodes ;;
                  "127.0.0.1 cluster myid") echo one ;;
                  "127.0.0.1 info replication") printf 'role:' ; cat $POD_FILES/role ;;
                  *" info replication") printf 'role:slave\\r\\n' ; cat $POD_FILES/link ;;
                  *" cluster failover") echo "$2" >>$POD_FILES/told; echo slave >$POD_FILES/role ;;
                esac
                """);
        script.write("role", "master\n");
        script.write("link", "master_link_status:up\r\n");
        script.write("told", "");
        replica("slave");
    }

    @AfterEach
    void stop() {
        script.close();
    }

    /** One that was led here and has copied may be elected again, which others hear a second later. It may take over in any case. */
    @ParameterizedTest
    @ValueSource(strings = {"slave", "slave,nofailover"})
    void toAReplicaThatHasWhatItHas(String flags) throws Exception {
        replica(flags);
        assertThat(script.run("leave").waitFor()).isZero();
        assertThat(script.path("told")).hasContent("10.0.0.2");
    }

    /** Its clients would wait for nothing. */
    @Test
    void notToOneThatHasNotCopied() throws Exception {
        script.write("link", "master_link_status:down\r\n");
        assertThat(script.run("leave").waitFor()).isZero();
        assertThat(script.path("told")).isEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(strings = {"slave,fail", "slave,fail?"})
    void notToOneThatIsLost(String flags) throws Exception {
        replica(flags);
        assertThat(script.run("leave").waitFor()).isZero();
        assertThat(script.path("told")).isEmptyFile();
    }

    private void replica(String flags) {
        script.write("nodes", """
                one 10.0.0.1:6379@16379 myself,master - 0 0 3 connected 0-16383
                two 10.0.0.2:6379@16379 %s one 0 0 3 connected
                """.formatted(flags));
    }
}
