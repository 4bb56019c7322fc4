//! Takes over what the previous store has, whether anybody asks for it or not: once it has nothing, it can go.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;
use tracing::{debug, info};

use super::Service;
use super::lease::Lease;
use crate::store::{Patience, Store, Unavailable};

/// How often the previous store is looked through. Pods that do not know this one as the main one yet take back what they are asked for.
const EVERY: Duration = Duration::from_secs(10);

/// Until the pod drains.
pub async fn take_all(service: Arc<Service>, mut draining: watch::Receiver<bool>) {
    let Some(other) = service.store.other().filter(|other| other.is_previous()) else {
        return;
    };
    let mut lease = Lease::of("mover");
    let mut left = None;
    let drains = async |draining: &mut watch::Receiver<bool>| {
        let told = draining.wait_for(|draining| *draining);
        // Not all at the same moment.
        timeout(EVERY.mul_f64(0.5 + fastrand::f64() / 2.0), told)
            .await
            .is_ok()
    };
    while !drains(&mut draining).await {
        match service
            .look_through_previous(other.store(), &mut lease, &draining)
            .await
        {
            Ok(Some(now)) => {
                service.metrics.moving.previous.set(now);
                if now == 0 && left != Some(0) {
                    info!("the previous store has no sessions any more");
                }
                left = Some(now);
            }
            Ok(None) => left = None,
            Err(unavailable) => debug!(%unavailable, "the previous store is looked through later"),
        }
    }
    lease.give_up(&service.store).await;
}

impl Service {
    /// How many sessions there were; `None` where somebody else looks.
    async fn look_through_previous(
        &self,
        previous: &Store,
        lease: &mut Lease,
        draining: &watch::Receiver<bool>,
    ) -> Result<Option<i64>, Unavailable> {
        let mut found = 0;
        for shard in 0..=u8::MAX {
            if !lease.hold(&self.store).await? {
                return Ok(None);
            }
            for id in previous.members_here(shard).await? {
                self.pace.turn(id).await;
                if *draining.borrow() {
                    return Ok(None);
                }
                match self.store.take_over(id).await {
                    Ok(taken) => found += i64::from(taken),
                    // A request has it for itself. The others need not wait for that.
                    Err(unavailable) if unavailable.is_held() => {
                        found += 1;
                        continue;
                    }
                    Err(unavailable) => return Err(unavailable),
                }
                // What has gone by itself is in the index still. What the reaper there is to tell of it may tell now: it would never come to that,
                // were it put off each time.
                let patience = Patience::Bounded;
                previous.reap(id, Duration::ZERO, None, patience).await?;
            }
        }
        Ok(Some(found))
    }
}
