package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is done about a Sentinel whose own rules would leave the store without a primary, or it with the wrong one, for ever. */
class SentinelGuardTest {

    private static final String OURS = "shop-store-1.shop-store.web.svc";
    private static final String THEIRS = "shop-store-2.shop-store.web.svc";

    @TempDir
    private Path directory;

    private StoreScript script;

    /** What has been told to our Sentinel is in {@code told}, what it is told on its input in {@code typed}. */
    @BeforeEach
    void programs() {
        script = new StoreScript(directory, "replicated.sh");
        // It looks twice, and stops.
        script.program("sleep", "echo >>$POD_FILES/slept; [ $(wc -l <$POD_FILES/slept) -le 2 ]");
        script.write("told", "");
        script.write("typed", "");
        script.write("theirs", OURS);
        script.write("epoch", "7");
        script.write("role", "slave");
        script.asked("""
                case "$2 $4 $5 $6" in
                  "127.0.0.1 26379 sentinel get-master-addr-by-name") echo %s ;;
                  *" 26379 sentinel get-master-addr-by-name") cat $POD_FILES/theirs ;;
                  "127.0.0.1 26379 sentinel master") cat $POD_FILES/state ;;
                  *" 26379 sentinel master") printf 'config-epoch\\n%%s\\n' "$(cat $POD_FILES/epoch)" ;;
                  "127.0.0.1 26379  ") cat >>$POD_FILES/typed ;;
                  "127.0.0.1 26379 "*) shift 4; echo "$@" >>$POD_FILES/told; echo OK ;;
                  "%s 6379 info replication") echo "role:$(cat $POD_FILES/role)" ;;
                esac
                """.formatted(OURS, THEIRS));
    }

    @AfterEach
    void stop() {
        script.close();
    }

    @ParameterizedTest
    @CsvSource({"40000, 3000, 20000", "6002, 3000, 3001", "100, 20000, 3000"})
    void theLongerThereIsNoPrimaryTheMoreAReplicaIsAllowed(int downFor, int allowed, int wanted) throws Exception {
        state("s_down,master", downFor, allowed);

        guard();

        String told = "sentinel set sojourn down-after-milliseconds " + wanted;
        assertThat(lines("told")).containsExactly("sentinel debug info-period 1000 tilt-period 3000", told, told);
    }

    @Test
    void followsTheOthersToThePrimaryThatThereIs() throws Exception {
        script.write("theirs", THEIRS);
        script.write("role", "master");
        state("s_down,master", 4000, 3000);

        guard();

        assertThat(lines("typed"))
                .startsWith(
                        "sentinel remove sojourn",
                        "sentinel monitor sojourn " + THEIRS + " 6379 2",
                        "sentinel set sojourn auth-user system",
                        "sentinel set sojourn auth-pass secret",
                        "sentinel set sojourn down-after-milliseconds 3000",
                        "sentinel set sojourn failover-timeout 2500");
    }

    @ParameterizedTest
    @CsvSource({"6, master, 4000", "7, slave, 4000", "7, master, 2000"})
    void keepsToItsOwnWhereTheOthersKnowLessOrNoPrimaryOrItIsOnlyJustGone(String epoch, String role, int downFor)
            throws Exception {
        script.write("theirs", THEIRS);
        script.write("epoch", epoch);
        script.write("role", role);
        state("s_down,master", downFor, 3000);

        guard();

        assertThat(lines("typed")).isEmpty();
    }

    @Test
    void leavesAloneWhatIsWell() throws Exception {
        script.write("theirs", THEIRS);
        script.write("role", "master");
        script.write("state", "flags\nmaster\nconfig-epoch\n7\ndown-after-milliseconds\n3000\n");

        guard();

        assertThat(lines("told")).hasSize(1);
        assertThat(lines("typed")).isEmpty();
    }

    private void state(String flags, int downFor, int allowed) {
        script.write(
                "state",
                "flags\r\n%s\r\ns-down-time\r\n%d\r\nconfig-epoch\r\n7\r\ndown-after-milliseconds\r\n%d\r\n"
                        .formatted(flags, downFor, allowed));
    }

    private void guard() throws Exception {
        assertThat(script.run("guard").waitFor()).isZero();
    }

    private List<String> lines(String file) throws IOException {
        return Files.readAllLines(script.path(file));
    }
}
