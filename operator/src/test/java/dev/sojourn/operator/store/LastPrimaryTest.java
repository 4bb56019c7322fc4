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

/** Who is the primary after all pods were down: each remembers one, and the one that was promoted last has what the others lack. */
class LastPrimaryTest {

    private static final String SELF = StoreScript.SELF;
    private static final String ANOTHER = "shop-store-1.shop-store.web.svc";
    private static final String STARTING = "the primary is " + SELF;

    @TempDir
    private Path directory;

    private StoreScript script;

    @BeforeEach
    void programs() throws IOException {
        script = new StoreScript(directory, "replicated.sh");
        Files.createDirectories(script.path("data/appendonlydir"));
        script.write("role", "");
        script.write("told-10.0.0.2", "");
        script.write("told-10.0.0.3", "");
        script.asked("""
                case "$4 $5 $6" in
                  "26379 sentinel get-master-addr-by-name") cut -s -d ' ' -f 2 $POD_FILES/told-$2 ;;
                  "26379 sentinel master") echo config-epoch; cut -s -d ' ' -f 1 $POD_FILES/told-$2 ;;
                  "26379 sentinel debug") echo OK ;;
                  "6379 info replication") cat $POD_FILES/role ;;
                esac
                """);
    }

    @AfterEach
    void stop() {
        script.close();
    }

    @Test
    void isNotWhoKnowsOnlyOfItselfBeforeAnotherPodHasSaidSo() throws IOException {
        remembers(3, SELF);

        var decisions = script.run("start")
                .inputReader()
                .lines()
                .filter(line -> line.contains("until enough others say") || line.contains(STARTING));

        assertThat(decisions.limit(2)).hasSize(2).noneMatch(line -> line.contains(STARTING));
    }

    @ParameterizedTest
    @CsvSource({
        // Another pod agrees, or knows less.
        "3, 0, '3 0', '', 0",
        "3, 0, '2 1', '', 0",
        // It has missed a fail-over: one of the others tells, or it is this pod that remembers the later one.
        "3, 0, '4 1', '', 1",
        "3, 0, '3 0', '4 1', 1",
        "4, 1, '3 0', '3 0', 1",
    })
    void isWhoWasPromotedLast(int number, int remembered, String second, String third, int primary) throws Exception {
        remembers(number, name(remembered));
        tells("10.0.0.2", second);
        tells("10.0.0.3", third);

        assertThat(script.run("start").waitFor()).isZero();

        var settings = assertThat(script.path("data/server.conf")).content();
        if (primary == 0) {
            settings.doesNotContain("replicaof");
        } else {
            settings.contains("replicaof " + name(primary) + " 6379");
        }
    }

    @Test
    void isRememberedByWhoHandsOverThoughItsOwnSentinelIsGone() throws Exception {
        remembers(3, SELF);
        script.write("role", "role:master\nmaster_repl_offset:7\nslave0:ip=p,port=6379,state=online,offset=7,lag=0\n");
        script.asked("""
                case "$4 $5 $6" in
                  "26379 sentinel get-master-addr-by-name") echo %s ;;
                  "26379 sentinel master") printf 'config-epoch\\n4\\n' ;;
                  "26379 sentinel failover" | "6379 client pause") echo OK ;;
                  "6379 info replication") cat $POD_FILES/role ;;
                esac
                """.formatted(ANOTHER));

        assertThat(script.run("leave").waitFor()).isZero();

        assertThat(script.path("data/sentinel.conf"))
                .content()
                .contains("sentinel monitor sojourn " + ANOTHER + " 6379 2", "sentinel config-epoch sojourn 4");
    }

    /** Its own Sentinel is stopped with it, and cannot say which number is over. */
    @ParameterizedTest
    @CsvSource({"3, '0 0', '4 0', 10.0.0.3", "4, '0 0', '4 0', 10.0.0.3", "0, '4 0', '0 0', 10.0.0.2"})
    void isOrderedBySentinelsThatKnowTheLatest(int number, String second, String third, String asked) throws Exception {
        remembers(number, SELF);
        tells("10.0.0.2", second);
        tells("10.0.0.3", third);
        script.write("role", "role:master\nmaster_repl_offset:7\nslave0:ip=p,port=6379,state=online,offset=7,lag=0\n");
        script.asked("""
                case "$4 $5 $6" in
                  "26379 sentinel get-master-addr-by-name") cut -s -d ' ' -f 2 $POD_FILES/told-$2 ;;
                  "26379 sentinel master") [ $2 != 127.0.0.1 ] && { echo config-epoch; cut -s -d ' ' -f 1 $POD_FILES/told-$2; } ;;
                  "26379 sentinel failover") echo $2 >>$POD_FILES/ordered; echo "5 %1$s" >$POD_FILES/told-$2; echo OK ;;
                  "6379 client pause") echo OK ;;
                  "6379 info replication") cat $POD_FILES/role ;;
                esac
                """.formatted(ANOTHER));

        assertThat(script.run("leave").waitFor()).isZero();

        assertThat(script.path("ordered")).content().isEqualTo(asked + "\n");
    }

    /**
     * With the number of the fail-over, so that the Sentinels agree on the latest. Without a name that pod may never have one again: it is waited for unless
     * another one has had it as its primary since that one started.
     */
    @ParameterizedTest
    @CsvSource({"true, -1, true", "false, 40, true", "false, -1, false", "false, 1764086400, false"})
    void isWatchedByASentinelThatStarts(boolean resolves, String gone, boolean starts) throws Exception {
        remembers(3, SELF);
        tells("10.0.0.2", "4 1");
        script.write("role", "role:slave\nmaster_link_status:down\nmaster_link_down_since_seconds:" + gone + "\n");
        script.write("config/sentinel.conf", "");
        script.program("sleep", "echo >>$POD_FILES/slept; [ $(wc -l <$POD_FILES/slept) -le 60 ]");
        if (!resolves) {
            script.program(
                    "getent", "[ $2 = store ] && printf '10.0.0.1 STREAM\\n10.0.0.2 STREAM\\n10.0.0.3 STREAM\\n'");
        }

        assertThat(script.run("sentinel").waitFor() == 0).isEqualTo(starts);

        assertThat(script.path("data/sentinel.conf"))
                .content()
                .contains(
                        starts
                                ? "sentinel monitor sojourn " + ANOTHER + " 6379 2\nsentinel config-epoch sojourn 4\n"
                                : "sentinel monitor sojourn " + SELF);
    }

    /** It was stopped before it had what its primary has: the files of a first start are no data. */
    @Test
    void isNotWhoNeverHadAnything() throws Exception {
        Files.delete(script.path("data/appendonlydir"));
        remembers(3, ANOTHER);
        assertThat(script.run("start").waitFor()).isZero();
        Files.createDirectories(script.path("data/appendonlydir"));

        assertThat(script.run("start").waitFor()).isZero();
        assertThat(script.path("data/server.conf")).content().contains("replica-priority 0");

        script.write("role", "role:slave\nmaster_link_status:up\nslave_priority:100\n");
        assertThat(script.run("ready").waitFor()).isZero();
        assertThat(script.run("start").waitFor()).isZero();
        assertThat(script.path("data/server.conf")).content().doesNotContain("replica-priority");
    }

    private static String name(int pod) {
        return pod == 0 ? SELF : ANOTHER;
    }

    private void remembers(int number, String name) {
        script.write(
                "data/sentinel.conf",
                "sentinel monitor sojourn " + name + " 6379 2\nsentinel config-epoch sojourn " + number + "\n");
    }

    /** @param what the number of a fail-over and of a pod, or nothing where it does not answer */
    private void tells(String address, String what) {
        if (!what.isEmpty()) {
            var parts = what.split(" ");
            script.write("told-" + address, parts[0] + " " + name(Integer.parseInt(parts[1])) + "\n");
        }
    }
}
