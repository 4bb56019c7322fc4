//! A daemon that stands still for longer than its life lasts, with a session that it has claimed.

use crate::claims::{MODES, claimed, daemons, value};
use crate::harness::{Reply, Store, until};

/// Written to the daemon's socket while it stands still, and read when it goes on.
const LATE: &[&[u8]] = &[
    b"SJ.COMMIT",
    b"s",
    b"1",
    b"1800",
    b"1000",
    b"SET",
    b"late",
    b"1",
];

#[test]
fn a_holder_that_was_stopped_for_too_long_serves_nothing_old_and_writes_nothing_over() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode]);
        let mut stopped = holder.client();
        claimed(&holder, &mut stopped, "s");
        let mut late = holder.client();
        late.open("s", 0);
        holder.process.signal("STOP");
        // What is asked of it now is read after it has gone on.
        stopped.send(&[b"SJ.OPEN", b"s", b"1"]);
        late.send(LATE);
        let mut client = other.client();
        assert_eq!(client.open("s", 0).version(), 1);
        assert_eq!(client.commit("s", 1, "SET a 7").version(), 2);
        holder.process.signal("CONT");
        let opened = stopped.read().unwrap();
        assert!(opened.version() >= 2, "{mode:?}: {opened:?}");
        assert_eq!(value(&opened, "a"), 7);
        let committed = late.read().unwrap();
        assert_eq!(committed.version(), 3, "{mode:?}: {committed:?}");
        assert_eq!(client.open("s", 2).attributes(), ["late=1"]);
        assert_eq!(stopped.open("s", 0).attributes(), ["a=7", "late=1"]);
    }
}

#[test]
fn a_writer_that_was_stopped_brings_back_nothing_that_ended_meanwhile() {
    for mode in MODES {
        let store = Store::start();
        let [holder, other] = daemons(&store, &[mode]);
        let mut stopped = holder.client();
        claimed(&holder, &mut stopped, "s");
        let mut late = holder.client();
        late.open("s", 0);
        holder.process.signal("STOP");
        // Written before the session ends, and read after it.
        late.send(LATE);
        let mut client = other.client();
        // Where it was claimed alone this waits until the holder's life is over.
        assert_eq!(client.say("SJ.END s").int(), 1, "{mode:?}");
        holder.process.signal("CONT");
        let committed = late.read().unwrap();
        let gone = committed.text_or_empty().starts_with("GONE");
        // In Async it may have been answered before the store was asked: nothing comes of it.
        assert!(gone || mode.1 == "Async", "{mode:?}: {committed:?}");
        until("the end to be known", || {
            let [here, there] = [&mut stopped, &mut client].map(|client| client.open("s", 0));
            let over = Reply::Array(None);
            (here == over && there == over).then_some(())
        });
        let again = stopped.commit("s", 1, "SET a 9").text_or_empty();
        assert!(again.starts_with("GONE"), "{mode:?}: {again}");
        let key = store.sessions().remove(0);
        let fields = store.client().say(&format!("HKEYS {key}"));
        let fields: Vec<String> = fields.items().iter().map(Reply::text).collect();
        assert!(fields.contains(&"x".to_owned()) && !fields.contains(&"s".to_owned()));
    }
}
