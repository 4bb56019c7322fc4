//! Who is told of what ends: of a session that has expired one pod that has had it, if there is one; of its end all.

use std::time::Duration;

use crate::claims::{MODES, until_trusted};
use crate::expiry::{EVERY, create, message, subscribe};
use crate::harness::{Client, Daemon, Reply, Store, until, until_within};
use crate::servers::{PERMITTED, info, permit};
use sojournd::key::Digest;

/// Two pods with listeners; the first one's daemon is the reaper.
struct Pods {
    store: Store,
    reaper: Daemon,
    by_reaper: Client,
    other: Daemon,
    by_other: Client,
}

impl Pods {
    fn start(settings: &[(&str, &str)]) -> Self {
        let store = Store::start();
        let reaper = Daemon::with(&store.url(), &[EVERY]);
        // Each hears what is said to all from then on.
        until_trusted(&reaper);
        let by_reaper = subscribe(&reaper);
        until("the reaper", || {
            (reaper.metric("sojourn_reaper ", "") == 1).then_some(())
        });
        let other = Daemon::with(&store.url(), settings);
        until_trusted(&other);
        let by_other = subscribe(&other);
        Self {
            store,
            reaper,
            by_reaper,
            other,
            by_other,
        }
    }

    fn told(daemon: &Daemon) -> i64 {
        daemon.metric("sojourn_expired_total", "told")
    }
}

#[test]
fn who_had_it_is_told_and_the_reaper_s_own_where_that_one_does_not_take_it_up() {
    for mode in MODES {
        let mut pods = Pods::start(&[mode]);
        let mut client = pods.other.client();
        create(&mut client, "s", 1);
        assert_eq!(message(&mut pods.by_other), "expired s");
        assert_eq!(message(&mut pods.by_reaper), "expired s");
        let mut first = pods.reaper.client();
        assert_eq!(first.say("SJ.REAP s").attributes(), ["a=1"]);
        assert_eq!(client.say("SJ.REAP s"), Reply::Array(None), "in vain");
        assert_eq!(first.say("SJ.END s").int(), 1);
        pods.store.assert_every_key_has_a_ttl();
    }
}

#[test]
fn one_that_had_to_go_for_want_of_room_is_known_still() {
    let mut pods = Pods::start(&[("SOJOURN_MEMORY", "64KiB")]);
    let mut client = pods.other.client();
    create(&mut client, "s", 3);
    for n in 0..8 {
        client.set(&format!("large{n}"), 0, "a", &vec![n; 20_000]);
    }
    let kept = pods.other.metric("sojourn_cached_sessions", "");
    assert!(kept < 8, "{kept} of 9");
    assert_eq!(message(&mut pods.by_other), "expired s");
}

#[test]
fn one_that_is_ended_by_hand_is_told_where_it_was_whoever_is_asked_to_end_it() {
    let mut pods = Pods::start(&[]);
    let mut client = pods.other.client();
    for (name, asked) in [("s", &pods.other), ("t", &pods.reaper)] {
        create(&mut client, name, 1800);
        let id = Digest::of(name.as_bytes()).hex();
        assert_eq!(asked.client().say(&format!("SJ.EXPIRE {id}")).int(), 1);
        assert_eq!(message(&mut pods.by_other), format!("expired {name}"));
    }
}

#[test]
fn a_pod_that_drains_leaves_it_to_the_others() {
    let mut pods = Pods::start(&[]);
    create(&mut pods.other.client(), "s", 2);
    pods.other.client().say("SJ.DRAIN");
    assert_eq!(message(&mut pods.by_other), "drain");
    assert_eq!(message(&mut pods.by_reaper), "expired s");
    assert_eq!((Pods::told(&pods.reaper), Pods::told(&pods.other)), (1, 0));
}

/// The next message to all.
fn next(client: &mut Client, beginning: &str) -> String {
    loop {
        let message = client.read().unwrap().items()[2].text();
        if message.starts_with(beginning) {
            return message;
        }
    }
}

#[test]
fn all_who_listen_are_told_of_each_end_and_each_new_name() {
    for mode in MODES {
        let mut pods = Pods::start(&[mode]);
        let mut too = subscribe(&pods.other);
        let mut assert_all_hear = |message: &str| {
            for client in [&mut pods.by_reaper, &mut pods.by_other, &mut too] {
                assert_eq!(next(client, "ended "), message);
            }
        };
        let [s, t, u, v] = ["s", "t", "u", "v"].map(|name| Digest::of(name.as_bytes()).hex());
        let mut client = pods.other.client();
        for (name, idle) in [("s", 1800), ("u", 1800), ("v", 1)] {
            create(&mut client, name, idle);
        }
        assert_eq!(client.say("SJ.RENAME s t 1").int(), 2);
        assert_all_hear(&format!("ended {s} {t}"));
        assert_eq!(pods.reaper.client().say("SJ.END t").int(), 1);
        assert_all_hear(&format!("ended {t}"));
        assert_eq!(client.say(&format!("SJ.EXPIRE {u}")).int(), 1);
        assert_all_hear(&format!("ended {u}"));
        until("it has expired", || {
            matches!(client.say("SJ.REAP v"), Reply::Array(Some(_))).then_some(())
        });
        assert_eq!(client.say("SJ.END v").int(), 1);
        assert_all_hear(&format!("ended {v}"));
    }
}

#[test]
fn all_who_listen_are_told_that_ends_may_have_been_missed() {
    let mut pods = Pods::start(&[]);
    pods.store.client().say("CLIENT KILL TYPE pubsub");
    for client in [&mut pods.by_reaper, &mut pods.by_other] {
        next(client, "missed");
    }
}

#[test]
fn who_listens_before_his_daemon_hears_anything_is_told_that_ends_may_have_been_missed() {
    let store = Store::start();
    // It takes connections, and answers later.
    store.signal("STOP");
    let daemon = Daemon::of(&store);
    let mut early = subscribe(&daemon);
    store.signal("CONT");
    next(&mut early, "missed");
}

/// Its own beats are not to be heard there, and nobody else speaks.
#[test]
fn nothing_is_missed_on_a_channel_that_is_silent_for_the_store_forbids_to_speak() {
    let store = Store::start();
    permit(&store);
    let mut operator = store.client();
    assert_eq!(operator.say("ACL SETUSER sidecar -publish").text(), "OK");
    let daemon = Daemon::with(&store.url(), &PERMITTED);
    until("it to be said", || {
        daemon.log().contains("no claims").then_some(())
    });
    let mut listening = || {
        until("a connection that listens", || {
            let all = operator.say("CLIENT LIST TYPE pubsub").text();
            let id = all.strip_prefix("id=")?.split(' ').next()?.to_owned();
            Some(id)
        })
    };
    let asked = || {
        let stat = info(&store, "cmdstat_subscribe");
        let calls = stat
            .strip_prefix("calls=")
            .and_then(|rest| rest.split(',').next());
        calls.map_or(0, |calls| calls.parse::<u64>().unwrap())
    };
    let ended = "0".repeat(40);
    let speak = || {
        let message = format!("end {ended}");
        store
            .client()
            .call(&[b"PUBLISH", b"sj:test.shop:all", message.as_bytes()])
    };
    // On a machine that is busy a server may seem to be gone: tried a few times.
    let longest = Duration::from_secs(2);
    let mut client = until_within(longest, "a connection that stays", || {
        let (id, before) = (listening(), asked());
        until("the silence to be noticed", || {
            (asked() > before).then_some(())
        });
        let mut client = subscribe(&daemon);
        until("it to be noticed again", || {
            (asked() > before + 2).then_some(())
        });
        speak();
        let heard = client.read().unwrap().items()[2].text();
        (listening() == id && heard == format!("ended {ended}")).then_some(client)
    });
    store.client().say("CLIENT KILL TYPE pubsub");
    next(&mut client, "missed");
}
