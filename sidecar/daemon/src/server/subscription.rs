//! What a connection that has subscribed waits for.

use bytes::Bytes;
use tokio::sync::watch;

use super::Context;
use crate::subscribers::Subscription;

/// A connection's subscription.
pub(super) struct Subscribed {
    draining: watch::Receiver<bool>,
    told: bool,
    sessions: Subscription,
}

impl Subscribed {
    /// Who comes after the drain began is told of it at once.
    pub(super) fn to(context: &Context) -> Self {
        Self {
            draining: context.draining.subscribe(),
            told: false,
            sessions: context.service.subscribers().join(),
        }
    }

    /// The next message; never one without a subscription.
    pub(super) async fn next(subscribed: &mut Option<Self>) -> Bytes {
        let Some(subscribed) = subscribed else {
            return std::future::pending().await;
        };
        tokio::select! {
            () = drains(&mut subscribed.draining), if !subscribed.told => {
                subscribed.told = true;
                Bytes::from_static(b"drain")
            }
            message = subscribed.sessions.next() => message,
        }
    }
}

/// Returns once the pod drains.
async fn drains(draining: &mut watch::Receiver<bool>) {
    if draining.wait_for(|draining| *draining).await.is_err() {
        std::future::pending::<()>().await;
    }
}
