use super::*;

const PATIENCE: Duration = Duration::from_secs(15);

/// The times that the page says, and whether the daemon itself trusts its claims.
fn told(directory: &std::path::Path, claims: &Claims) -> ((u64, u64), bool) {
    let bytes = std::fs::read(directory.join(claims.page().unwrap())).unwrap();
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    ((word(16), word(24)), claims.next(Kind::Sole).is_some())
}

fn confirm(claims: &Claims) -> Beat {
    let beat = claims.beat();
    claims.stored(beat.number, Some(1_000_000));
    claims.echoed(beat.number);
    beat
}

/// Waits for trust with all the patience there is: how long that took, and what came of it.
async fn wait(claims: &Claims) -> (Duration, Result<(), NoClaims>) {
    let start = Deadline::now();
    let outcome = claims.until_trusted(start + PATIENCE, PATIENCE).await;
    (start.elapsed(), outcome)
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_anew_for_trust_that_others_have_waited_for() {
    let claims = Claims::new("c", Arc::new(Metrics::new()), None);
    assert_eq!(wait(&claims).await, (PATIENCE, Err(NoClaims::Silent)));
    assert_eq!(wait(&claims).await, (Duration::ZERO, Err(NoClaims::Silent)));
    confirm(&claims);
    assert_eq!(wait(&claims).await, (Duration::ZERO, Ok(())));
    claims.lose();
    tokio::time::sleep(BEAT).await;
    claims.beat();
    let left = PATIENCE.saturating_sub(BEAT);
    assert_eq!(wait(&claims).await, (left, Err(NoClaims::Silent)));
}

#[tokio::test(start_paused = true)]
async fn who_comes_to_a_store_that_is_back_after_longer_than_the_patience_waits_for_trust() {
    let claims = Claims::new("c", Arc::new(Metrics::new()), None);
    tokio::time::sleep(PATIENCE).await;
    claims.connected(true);
    let heard = async {
        tokio::time::sleep(BEAT).await;
        confirm(&claims);
    };
    let (waited, ()) = tokio::join!(wait(&claims), heard);
    assert_eq!(waited, (BEAT, Ok(())));
    claims.connected(false);
    tokio::time::sleep(PATIENCE).await;
    assert_eq!(wait(&claims).await, (Duration::ZERO, Err(NoClaims::Silent)));
    claims.connected(true);
    assert_eq!(wait(&claims).await, (HEARD, Err(NoClaims::Silent)));
    claims.connected(true);
    claims.connected(false);
    assert_eq!(wait(&claims).await, (Duration::ZERO, Err(NoClaims::Silent)));
}

#[test]
fn the_page_says_how_long_claims_are_trusted_and_nothing_once_they_are_lost() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let metrics = Arc::new(Metrics::new());
    let page = Page::beside(path, metrics.claims.on_page.clone());
    let claims = Claims::new("c", metrics, page);
    let nothing = ((0, 0), false);
    assert_eq!(told(path, &claims), nothing);
    let beat = claims.beat();
    claims.stored(beat.number, Some(1_000_000));
    assert_eq!(told(path, &claims), nothing, "no echo yet");
    claims.echoed(beat.number);
    let ((steady, wall), trusted) = told(path, &claims);
    assert!(trusted && steady > Page::clock() && wall > 0);
    assert!(steady <= Page::clock() + 2_500_000_000);
    confirm(&claims);
    assert!(
        told(path, &claims).0.0 > steady,
        "each beat is trusted for longer"
    );

    claims.lose();
    assert_eq!(told(path, &claims), nothing);
    let late = claims.beat();
    assert!(late.over.is_some());
    assert_eq!(
        told(path, &claims),
        nothing,
        "a life that is not trusted yet"
    );
    claims.echoed(beat.number);
    assert_eq!(told(path, &claims), nothing, "an echo of the life before");
    confirm(&claims);
    assert!(told(path, &claims).0.0 > 0);

    let refused = claims.beat();
    claims.stored(refused.number, None);
    assert_eq!(told(path, &claims), nothing);
    confirm(&claims);
    claims.forbid("for the test");
    assert_eq!(told(path, &claims).0, (0, 0));
    confirm(&claims);
    assert!(told(path, &claims).0.0 > 0);
    claims.last_life();
    assert_eq!(told(path, &claims), nothing);
}
