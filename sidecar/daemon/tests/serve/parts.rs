//! A store of several primaries of which one is away, and the others go on.

use std::time::Duration;

use sojournd::key::Digest;

use crate::claims::{claimed, until_trusted};
use crate::expiry::subscribe;
use crate::harness::{Client, Daemon, Reply, Store, surely, until, until_within, within};
use crate::lives::lapses;
use crate::servers::{Cluster, info};

const PATIENT: (&str, &str) = ("SOJOURN_STORE_PATIENCE", "60s");
const IN_USE: (&str, &str) = ("SOJOURN_STORE_IN_USE", "true");
const ASYNC: (&str, &str) = ("SOJOURN_MODE", "Async");

/// One that goes on with the parts that are there.
fn in_parts() -> Cluster {
    let cluster = Cluster::start(3, 0);
    for node in &cluster.nodes {
        let partly = "CONFIG SET cluster-require-full-coverage no";
        assert_eq!(node.client().say(partly).text(), "OK");
    }
    cluster
}

/// A session that this node has.
fn session_on(node: &Store, client: &mut Client) -> String {
    let before = node.sessions().len();
    let mut names = (0..100).map(|n| format!("on{n}"));
    let found = names.find(|session| {
        assert_eq!(client.commit(session, 0, "SET a 1").version(), 1);
        node.sessions().len() > before
    });
    found.unwrap()
}

/// A daemon, and the node that has the key of its life, which is not `other_than`.
fn at_home(
    cluster: &Cluster,
    other_than: Option<usize>,
    settings: &[(&str, &str)],
) -> (Daemon, usize) {
    let lives = |at: usize| {
        let keys = cluster.nodes[at].keys().into_iter();
        keys.filter(|key| key.contains(":holder:"))
    };
    let before: Vec<String> = (0..cluster.nodes.len()).flat_map(lives).collect();
    let daemon = Daemon::with(&cluster.url(), settings);
    until_trusted(&daemon);
    let is_home = |at: &usize| lives(*at).any(|key| !before.contains(&key));
    let home = until("its life", || (0..cluster.nodes.len()).find(is_home));
    if Some(home) == other_than {
        return at_home(cluster, other_than, settings);
    }
    (daemon, home)
}

#[test]
fn while_a_part_is_away_all_daemons_speak_and_have_their_claims_elsewhere() {
    let cluster = in_parts();
    let (holder, lost) = at_home(&cluster, None, &[PATIENT]);
    let (other, _) = at_home(&cluster, Some(lost), &[PATIENT]);
    let mut client = holder.client();
    let elsewhere = &cluster.nodes[(lost + 1) % 3];
    let session = (0..100).map(|n| format!("s{n}")).find(|session| {
        claimed(&holder, &mut client, session);
        !elsewhere.sessions().is_empty()
    });
    cluster.nodes[lost].signal("STOP");
    // Whose life cannot be asked for has to say that it does not go by its claim.
    let committed = other.client().commit(&session.unwrap(), 1, "SET a 2");
    assert_eq!(committed.version(), 2);
    let failures = || other.metric("sojourn_store_failures_total", "timeout");
    until_within(Duration::from_mins(1), "claims that stay", || {
        let (before, failed) = (lapses(&[&other]), failures());
        within(Duration::from_secs(20), || {
            (failures() > failed + 3).then_some(())
        })?;
        (lapses(&[&other]) == before).then_some(())
    });
}

#[test]
fn while_a_part_is_away_another_says_which_sessions_it_does_not_have() {
    let cluster = in_parts();
    let daemons = [(); 2].map(|()| Daemon::with(&cluster.url(), &[PATIENT]));
    daemons.iter().for_each(Daemon::until_looked_through);
    let session = session_on(&cluster.nodes[1], &mut daemons[0].client());
    let key = cluster.nodes[1].sessions().remove(0);
    assert_eq!(cluster.say(1, &format!("DEL {key}")).int(), 1);
    cluster.nodes[2].signal("STOP");
    daemons[1].until_store("down");
    assert_eq!(daemons[1].client().open(&session, 0), Reply::Array(None));
}

#[test]
fn whose_own_part_is_away_has_no_session_of_another_for_himself_and_none_without_a_lock() {
    let cluster = in_parts();
    let (daemon, lost) = at_home(&cluster, None, &[("SOJOURN_STORE_PATIENCE", "8s")]);
    let mut client = daemon.client();
    let session = session_on(&cluster.nodes[(lost + 1) % 3], &mut client);
    cluster.nodes[lost].signal("STOP");
    daemon.until_store("down");
    let reply = client.say(&format!("SJ.OPEN {session} 1 EXCLUSIVE")).text();
    assert!(reply.starts_with("BUSY "), "{reply}");
}

/// His claims are not trusted at once when it is back.
#[test]
fn nor_while_it_comes_back_before_the_last_does() {
    let cluster = in_parts();
    let (daemon, home) = at_home(&cluster, None, &[("SOJOURN_STORE_PATIENCE", "4s")]);
    let mut client = daemon.client();
    let elsewhere = (home + 1) % 3;
    let session = session_on(&cluster.nodes[elsewhere], &mut client);
    let mut open = || client.say(&format!("SJ.OPEN {session} 1 EXCLUSIVE"));
    cluster.nodes.iter().for_each(|node| node.signal("STOP"));
    daemon.until_store("down");
    until("the end of the patience", || {
        open().text().starts_with("UNAVAILABLE ").then_some(())
    });
    cluster.nodes[elsewhere].signal("CONT");
    until("a part that is back", || {
        (!open().text_or_empty().starts_with("UNAVAILABLE ")).then_some(())
    });
    cluster.nodes[home].signal("CONT");
    until("a lock", || {
        let reply = open();
        let text = reply.text_or_empty();
        assert!(!text.starts_with("UNAVAILABLE "), "{reply:?}");
        (!text.starts_with("BUSY ")).then_some(())
    });
}

#[test]
fn while_a_part_is_away_commits_to_another_wait_until_it_has_them() {
    let cluster = in_parts();
    let settings = [PATIENT, ASYNC];
    let (one, lost) = at_home(&cluster, None, &settings);
    let (other, _) = at_home(&cluster, Some(lost), &settings);
    let mut client = one.client();
    let session = session_on(&cluster.nodes[(lost + 1) % 3], &mut client);
    assert_eq!(other.client().commit(&session, 1, "SET b 1").version(), 2);
    cluster.nodes[lost].signal("STOP");
    one.until_store("down");
    let committed = client.commit(&session, 1, "SET c 1");
    assert_eq!(
        (committed.version(), committed.attributes()),
        (3, vec!["b=1".into()])
    );
}

/// All that it asks for is there, though it has never seen the whole.
#[test]
fn who_starts_while_a_part_is_away_says_which_sessions_another_does_not_have() {
    let cluster = in_parts();
    let before = Daemon::with(&cluster.url(), &[]);
    let session = session_on(&cluster.nodes[1], &mut before.client());
    let key = cluster.nodes[1].sessions().remove(0);
    assert_eq!(cluster.say(1, &format!("DEL {key}")).int(), 1);
    cluster.nodes[2].signal("STOP");
    let settings = [IN_USE, ("SOJOURN_STORE_PATIENCE", "8s")];
    let daemon = Daemon::with(&cluster.url(), &settings);
    assert_eq!(daemon.client().open(&session, 0), Reply::Array(None));
}

/// Whether some daemon hears by a node what is said to it alone.
fn listeners_at(node: &Store) -> usize {
    let channels = node.client().say("PUBSUB CHANNELS sj:test.shop:*");
    channels.items().len()
}

/// A daemon that does not hear by this node what is said, its own beats among it: those the server of its life passes on, and without any it would listen anew.
fn that_hears_elsewhere(cluster: &Cluster, node: usize) -> Daemon {
    let before = listeners_at(&cluster.nodes[node]);
    let (daemon, _) = at_home(cluster, Some(node), &[]);
    if listeners_at(&cluster.nodes[node]) == before {
        return daemon;
    }
    drop(daemon);
    until("its silence", || {
        (listeners_at(&cluster.nodes[node]) == before).then_some(())
    });
    that_hears_elsewhere(cluster, node)
}

/// Ends a session of a shard while the node `lost`, which has another, hangs. What others are told of it.
fn an_end_beside_a_hang(cluster: &Cluster, one: &Daemon, lost: usize) -> String {
    let mut client = one.client();
    let session = session_on(&cluster.nodes[(lost + 1) % 3], &mut client);
    cluster.nodes[lost].signal("STOP");
    assert_eq!(client.say(&format!("SJ.END {session}")).int(), 1);
    format!("ended {}", Digest::of(session.as_bytes()).hex())
}

/// Of a daemon that waits to say it again, for the server that it has asked hangs.
#[test]
fn what_is_still_to_be_told_is_told_before_a_daemon_ends() {
    let cluster = in_parts();
    let (mut one, lost) = at_home(&cluster, None, &[]);
    let other = that_hears_elsewhere(&cluster, lost);
    let mut listener = subscribe(&other);
    let ended = an_end_beside_a_hang(&cluster, &one, lost);
    one.process.signal("TERM");
    assert_eq!(one.process.exit_code(), Some(0));
    // What is passed on now was said by one that is there no more.
    let told = listener.read().unwrap().items()[2].text();
    assert_eq!(told, ended);
}

#[test]
fn an_end_is_told_though_the_server_that_was_to_pass_it_on_hangs() {
    let cluster = in_parts();
    let (one, lost) = at_home(&cluster, None, &[]);
    let other = that_hears_elsewhere(&cluster, lost);
    let mut listener = subscribe(&other);
    let ended = an_end_beside_a_hang(&cluster, &one, lost);
    // It need not hear of anything else.
    let told = listener.read().unwrap().items()[2].text();
    assert_eq!(told, ended);
}

/// Nobody else may have a session before the store has what was answered of it: claims are void when a connection goes, and what is on its way is not.
#[test]
fn a_life_ends_by_itself_where_what_was_answered_in_it_is_on_its_way() {
    let cluster = in_parts();
    let (daemon, home) = at_home(&cluster, None, &[("SOJOURN_STORE_PATIENCE", "2s"), ASYNC]);
    let mut client = daemon.client();
    let away = &cluster.nodes[(home + 1) % 3];
    let session = session_on(away, &mut client);
    let home = &cluster.nodes[home];
    let lives = || {
        let keys = home.keys().into_iter();
        keys.filter(|key| key.contains(":holder:"))
            .collect::<Vec<_>>()
    };
    let is_flushed = || {
        until("the queue to empty", || {
            (daemon.metric("sojourn_queue_bytes", "") == 0).then_some(())
        });
    };
    let mut version = 1;
    until("a commit that is answered before the store has it", || {
        for n in 0..3 {
            client.open(&session, version);
            version = client
                .commit(&session, version, &format!("SET b {n}"))
                .version();
        }
        is_flushed();
        let (before, life) = (lapses(&[&daemon]), lives());
        away.signal("STOP");
        client.commit(&session, version, &format!("SET a {version}"));
        let is_held = daemon.metric("sojourn_queue_bytes", "") > 0;
        assert_eq!(home.client().say("CONFIG RESETSTAT").text(), "OK");
        let is_early = is_held && lapses(&[&daemon]) == before && lives() == life;
        if is_early {
            until("another life", || {
                let begun = lives().iter().any(|other| !life.contains(other));
                begun.then_some(())
            });
            assert_eq!(info(home, "cmdstat_unlink"), "", "ended before");
        }
        away.signal("CONT");
        version = surely(|| client.open(&session, 0)).version();
        is_early.then_some(())
    });
    is_flushed();
    let stranger = Daemon::with(&cluster.url(), &[]);
    assert_eq!(stranger.client().open(&session, 0).version(), version);
}
