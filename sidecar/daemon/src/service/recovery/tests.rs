use tokio::time::sleep;

use super::*;

fn known(connection: u64, epoch: &str) -> Known {
    Known {
        connection,
        epochs: vec![(0, epoch.into())],
    }
}

#[test]
fn of_many_servers_one_that_was_emptied_is_news_and_one_that_came_or_went_is_none() {
    let known = |epochs: &[(u8, &str)]| Known {
        connection: 1,
        epochs: epochs
            .iter()
            .map(|(n, epoch)| (*n, (*epoch).into()))
            .collect(),
    };
    let recovery = Recovery::new(Duration::ZERO, Duration::MAX);
    recovery.found(known(&[(0, "a"), (1, "b")]));
    recovery.take_news();
    recovery.found(known(&[(0, "a"), (2, "c")]));
    recovery.found(known(&[(0, "a"), (1, "b")]));
    assert_eq!(recovery.take_news(), None);
    recovery.found(known(&[(0, "a"), (1, "x")]));
    assert_eq!(recovery.take_news(), Some(News::Emptied));
}

#[test]
fn another_connection_or_epoch_is_news() {
    let recovery = Recovery::new(Duration::ZERO, Duration::MAX);
    recovery.found(known(1, "a"));
    assert_eq!(recovery.take_news(), Some(News::Reconnected));
    recovery.found(known(1, "a"));
    assert_eq!(recovery.take_news(), None);
    recovery.found(known(2, "a"));
    assert_eq!(recovery.take_news(), Some(News::Reconnected));
    recovery.found(known(2, "b"));
    recovery.found(known(3, "b"));
    assert_eq!(
        recovery.take_news(),
        Some(News::Emptied),
        "the worst of all"
    );
    assert_eq!(recovery.take_news(), None);
}

#[tokio::test(start_paused = true)]
async fn who_may_have_to_wait_waits_for_as_long_as_it_takes_to_settle() {
    let recovery = Recovery::new(Duration::from_secs(5), Duration::from_secs(15));
    let start = Instant::now();
    recovery.settled().await;
    assert!(!recovery.refilled_by_others().await);
    assert_eq!(start.elapsed(), Duration::ZERO);
    recovery.found(known(1, "a"));
    recovery.settled().await;
    assert!(start.elapsed() >= Duration::from_secs(5));
    assert!(!recovery.refilled_by_others().await);
    recovery.found(known(2, "b"));
    assert!(recovery.refilled_by_others().await);
    assert!(start.elapsed() >= Duration::from_secs(15));
    assert!(!recovery.refilled_by_others().await);
}

#[tokio::test(start_paused = true)]
async fn only_where_requests_were_answered_without_it_may_a_store_lack_what_began() {
    let recovery = Recovery::new(Duration::from_secs(5), Duration::from_secs(15));
    let may_lack = || recovery.lacks_what_began_until(None).is_some();
    recovery.found(known(1, "a"));
    sleep(Duration::from_secs(14)).await;
    recovery.found(known(2, "a"));
    assert!(!may_lack(), "they have waited for it");
    sleep(Duration::from_secs(16)).await;
    recovery.found(known(2, "a"));
    assert!(!may_lack(), "nobody has missed it");
    recovery.refused();
    sleep(Duration::from_secs(16)).await;
    recovery.found(known(2, "a"));
    assert!(may_lack());
    sleep(Duration::from_secs(4)).await;
    recovery.found(known(2, "a"));
    assert!(may_lack());
    sleep(Duration::from_secs(1)).await;
    assert!(!may_lack());
    sleep(Duration::from_secs(15)).await;
    recovery.found(known(3, "a"));
    assert!(may_lack(), "another connection: it was away");
}
