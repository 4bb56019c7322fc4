use std::time::Duration;

use super::*;
use crate::config::Config;

/// What a request waits for in the end is not given a patience of its own.
#[tokio::test(start_paused = true)]
async fn an_end_waits_no_longer_than_who_asks_for_it() {
    // Nobody listens there.
    let config = Config::of_a_test("redis://127.0.0.1:1").store;
    let (store, _messages) = Store::start("test.shop", &config, Arc::default(), None, None);
    let (began, left) = (Instant::now(), Duration::from_secs(1));
    let id = Digest::of(b"old");
    let patience = Patience::Until(began + left);
    let ended = store.end(id, Token::random(), None, patience).await;
    assert!(ended.is_err());
    assert!(left < config.patience && began.elapsed() < 2 * left);
}
