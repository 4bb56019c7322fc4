use super::*;

#[test]
fn each_end_is_known_once_with_its_forward() {
    let ends = Ends::default();
    let (old, new) = (Digest::of(b"old"), Digest::of(b"new"));
    ends.hear(old, None);
    ends.hear(old, Some(new));
    ends.hear(old, None);
    ends.hear(new, None);
    let all = ends.all().into_iter().map(|(id, end)| (id, end.forward));
    assert_eq!(all.collect::<Vec<_>>(), [(new, None), (old, Some(new))]);
    assert!(ends.knows(old) && !ends.knows(Digest::of(b"other")));
}

#[test]
fn the_tombstone_is_of_who_ended_it_first() {
    let ends = Ends::default();
    let id = Digest::of(b"s");
    let [first, second] = [(); 2].map(|()| ends.begin(id).token);
    assert_ne!(first, second);
    ends.hear(id, None);
    assert_eq!(ends.all()[0].1.token, first);
}

#[test]
fn what_ended_nothing_is_forgotten_unless_somebody_else_knows_of_an_end() {
    let ends = Ends::default();
    let [nothing, heard, before] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
    ends.hear(before, None);
    for id in [nothing, heard, before] {
        let begun = ends.begin(id);
        assert_eq!(begun.is_first, id != before);
        if id == heard {
            ends.hear(id, None);
        }
        ends.ended_nothing(id);
        assert!(ends.knows(id), "while it is under way");
        begun.done();
        ends.ended_nothing(id);
    }
    assert_eq!(
        [nothing, heard, before].map(|id| ends.knows(id)),
        [false, true, true]
    );
    ends.hear(nothing, None);
    assert_eq!(ends.all().len(), ends.list().order.len());
}

#[test]
fn what_was_only_met_is_another_where_it_lives_later() {
    let ends = Ends::default();
    let [met, told, tried] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
    for id in [met, told, tried] {
        ends.meet(id, None, Some(1));
        ends.meet(id, None, Some(2));
        assert_eq!(ends.met_on(id), Some(2));
    }
    ends.hear(told, None);
    ends.meet(told, None, Some(2));
    ends.owe(tried, false);
    for id in [met, told, tried] {
        ends.is_another(id, 1);
        assert!(ends.knows(id), "on another connection");
        ends.is_another(id, 2);
    }
    assert_eq!(
        [met, told, tried].map(|id| ends.knows(id)),
        [false, true, true]
    );
}

#[test]
fn a_tombstone_is_left_to_who_is_the_first_to_end_it_until_he_is_done() {
    let ends = Ends::default();
    let [passed_over, failed, undisturbed] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
    assert!(!ends.begin(undisturbed).done());
    let all = [passed_over, failed].map(|id| ends.begin(id));
    assert_eq!(ends.all().len(), 1, "what is done");
    let [passed_over, failed] = all;
    assert!(passed_over.done());
    drop(failed);
    assert_eq!(ends.all().len(), 3);
    let again = ends.begin(undisturbed);
    assert_eq!(ends.all().len(), 3, "it had ended before");
    assert!(!again.done());
}

fn next_owed(ends: &Ends) -> Option<(Digest, bool)> {
    ends.list().owed.next()
}

#[test]
fn an_end_is_owed_only_while_it_is_known() {
    let ends = Ends::default();
    let [known, unknown] = [b"one", b"two"].map(|name| Digest::of(name));
    ends.begin(known);
    for id in [known, unknown] {
        ends.owe(id, true);
    }
    assert_eq!(ends.owing(), 1);
    ends.list().forget_first();
    assert_eq!((next_owed(&ends), ends.owing()), (None, 0));
}

#[test]
fn the_oldest_are_forgotten_past_the_bound() {
    let ends = Ends::default();
    let id = |n: u32| Digest::of(&n.to_be_bytes());
    for n in 0..70_000 {
        ends.hear(id(n), None);
    }
    assert_eq!(ends.all().len(), MAX_ENDS);
    assert!(!ends.knows(id(0)) && ends.knows(id(69_999)));
}

/// As if all had been heard of when the first tombstones go.
fn let_a_tombstones_time_pass(ends: &Ends) {
    let list = &mut *ends.list();
    for (heard, _) in &mut list.order {
        heard.wall -= TOMBSTONE;
    }
}

#[test]
fn what_ended_before_the_tombstones_that_are_left_is_forgotten() {
    let ends = Ends::default();
    let id = Digest::of(b"s");
    ends.hear(id, None);
    assert!(ends.knows(id));
    let_a_tombstones_time_pass(&ends);
    assert!(!ends.knows(id), "another may have its name");
    assert!(ends.all().is_empty());
    ends.hear(id, None);
    let_a_tombstones_time_pass(&ends);
    ends.hear(id, None);
    assert!(ends.knows(id), "that one has ended too");
}

#[test]
fn what_the_store_has_not_taken_is_not_forgotten() {
    let ends = Ends::default();
    let [owed, tried, begun] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
    for id in [tried, owed] {
        ends.hear(id, None);
        ends.owe(id, false);
    }
    assert_eq!(next_owed(&ends), Some((tried, false)));
    let at_it = ends.begin(begun);
    let_a_tombstones_time_pass(&ends);
    assert_eq!([owed, tried, begun].map(|id| ends.knows(id)), [true; 3]);
    ends.owe(begun, false);
    drop(at_it);
    ends.owe(tried, false);
    assert_eq!(next_owed(&ends), Some((owed, false)));
    assert_eq!(next_owed(&ends), Some((begun, false)));
    assert_eq!(next_owed(&ends), Some((tried, false)));
    assert_eq!(next_owed(&ends), None);
    let_a_tombstones_time_pass(&ends);
    assert_eq!([owed, tried, begun].map(|id| ends.knows(id)), [false; 3]);
}
