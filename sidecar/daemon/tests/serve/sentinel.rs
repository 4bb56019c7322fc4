//! A store whose primary changes, as Sentinels say.

use std::time::Duration;

use crate::harness::{Daemon, Reply, until};
use crate::servers::{SETTINGS, Sentinels, SlowLink, Writer, assert_written, info, sessions};

const HELD: (&str, &str) = ("SOJOURN_STORE_REPLICAS_ACK", "1");

fn daemon(all: &Sentinels) -> Daemon {
    let [settle, patience] = SETTINGS;
    let daemon = Daemon::with(&all.url(), &[settle, patience, HELD]);
    daemon.until_store("up");
    daemon
}

fn lapses(daemon: &Daemon) -> i64 {
    daemon.metric("sojourn_claim_lapses_total", "")
}

fn until_trusted(daemon: &Daemon) {
    until("claims to be trusted", || {
        (daemon.metric("sojourn_claims_trusted ", "") == 1).then_some(())
    });
}

#[test]
fn a_primary_that_is_killed_is_replaced_and_nothing_confirmed_is_lost() {
    let mut all = Sentinels::start();
    let daemon = daemon(&all);
    until_trusted(&daemon);
    let names = sessions(&daemon, 8);
    daemon.client().commit("ended", 0, "SET a 1");
    assert_eq!(daemon.client().say("SJ.END ended").int(), 1);
    let writer = Writer::start(&daemon, "n", &names);
    writer.until_more(50);
    // The one that the daemon follows may be among them.
    all.kill_sentinel(0);
    let old = all.primary();
    all.servers[old].kill();
    let new = all.until_other_than(old);
    writer.until_more(50);
    let confirmed = writer.stop();
    assert!(lapses(&daemon) > 0, "claims of before are void");
    until_trusted(&daemon);
    let stranger = Daemon::with(&all.url(), &[]);
    assert_written(&stranger, "n", &confirmed);
    assert_eq!(stranger.client().open("ended", 0), Reply::Array(None));
    assert_eq!(all.servers[new].sessions().len(), 9);
    // The one that comes back follows.
    all.servers[old].run();
    until("the old primary to follow", || {
        (info(&all.servers[old], "role") == "slave").then_some(())
    });
    assert_written(&daemon, "n", &confirmed);
}

#[test]
fn a_primary_that_hangs_and_wakes_again_takes_nothing_back() {
    let all = Sentinels::start();
    let daemon = daemon(&all);
    let names = sessions(&daemon, 8);
    let writer = Writer::start(&daemon, "n", &names);
    writer.until_more(50);
    let old = all.primary();
    all.servers[old].signal("STOP");
    all.until_other_than(old);
    writer.until_more(50);
    all.servers[old].signal("CONT");
    writer.until_more(50);
    until("the old primary to follow", || {
        let server = &all.servers[old];
        let follows = info(server, "role") == "slave" && info(server, "master_link_status") == "up";
        follows.then_some(())
    });
    writer.until_more(50);
    let confirmed = writer.stop();
    assert_written(&daemon, "n", &confirmed);
    assert_written(&Daemon::with(&all.url(), &[]), "n", &confirmed);
}

#[test]
fn a_planned_fail_over_is_followed() {
    let all = Sentinels::start();
    let daemon = daemon(&all);
    let names = sessions(&daemon, 8);
    let writer = Writer::start(&daemon, "n", &names);
    writer.until_more(50);
    let new = all.fail_over();
    until("commits on the new one", || {
        let commits = info(&all.servers[new], "cmdstat_evalsha");
        (!commits.is_empty()).then_some(())
    });
    writer.until_more(50);
    let confirmed = writer.stop();
    // What only the old one held is put back.
    daemon.until_store("up");
    until("all of it", || {
        (!daemon.page("/readyz").contains("looked through")).then_some(())
    });
    assert_written(&Daemon::with(&all.url(), &[]), "n", &confirmed);
}

#[test]
fn requests_wait_for_sentinels_that_come_later_and_a_wrong_name_is_told() {
    let mut all = Sentinels::prepared();
    let [settle, patience] = SETTINGS;
    let daemon = Daemon::with(&all.url(), &[settle, patience]);
    until("the reason", || {
        daemon.log().contains("kind=\"no sentinel\"").then_some(())
    });
    let mut client = daemon.client();
    let waiting = std::thread::spawn(move || client.commit("s", 0, "SET a 1").version());
    all.run_sentinels();
    assert_eq!(waiting.join().unwrap(), 1);
    let url = all.url().replace("#sessions", "#other");
    let lost = Daemon::with(&url, &[("SOJOURN_STORE_PATIENCE", "300ms")]);
    until("the reason", || {
        lost.page("/readyz")
            .contains("knows no primary \"other\"")
            .then_some(())
    });
    assert!(lost.log().contains("the name after #"), "the mend");
}

#[test]
fn sentinels_have_a_password_of_their_own() {
    let all = Sentinels::with_password("theirs");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("password");
    std::fs::write(&file, "theirs\n").unwrap();
    let setting = (
        "SOJOURN_STORE_SENTINEL_PASSWORD_FILE",
        file.to_str().unwrap(),
    );
    let daemon = Daemon::with(&all.url(), &[setting]);
    assert_eq!(daemon.client().commit("s", 0, "SET a 1").version(), 1);
    let stranger = Daemon::with(&all.url(), &[("SOJOURN_STORE_PASSWORD", "theirs")]);
    until("the refusal", || {
        let log = stranger.log();
        let told = log.contains("kind=\"no sentinel\"") && log.contains("SENTINEL_PASSWORD_FILE");
        told.then_some(())
    });
}

/// Whoever takes longer than one is waited for at first is waited for longer, where nobody else answers.
#[test]
fn sentinels_that_are_far_away_are_given_longer() {
    let all = Sentinels::start();
    let link = SlowLink::to_port(all.ports()[0]);
    link.delay(Duration::from_millis(200));
    let url = link.url().replace("redis://", "redis-sentinel://") + "#sessions";
    let daemon = Daemon::with(&url, &[]);
    daemon.until_store("up");
    assert_eq!(daemon.client().commit("s", 0, "SET a 1").version(), 1);
}
