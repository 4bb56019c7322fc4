//! Which pods do not reach the store while others do. Their users would be logged out there, and nowhere else.

use std::collections::BTreeMap;
use std::future::ready;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::Addresses;
use crate::envoy::ask;

const LOOK_AGAIN: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(1);
/// So many are asked at once.
const LANES: usize = 16;

/// A primary that is replaced is away for a second or two, and pods find the next one at different moments: requests that wait for it
/// meanwhile are better off than all of them on the pod that was first. They wait for 15 s.
const AWAY_SECONDS: u64 = 3;

/// What a sidecar says at `/storez`, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
enum Look {
    Up,
    Down {
        seconds: u64,
    },
    #[serde(other)]
    Other,
}

/// Those that do not reach the store, if any other does: without a store all of them are alike. Who does not answer says nothing.
fn without_store(looks: &BTreeMap<IpAddr, Look>) -> Addresses {
    if !looks.values().any(|look| *look == Look::Up) {
        return Addresses::new();
    }
    let away = |look: &Look| matches!(look, Look::Down { seconds } if *seconds >= AWAY_SECONDS);
    let away = looks.iter().filter(|(_, look)| away(look));
    away.map(|(address, _)| *address).collect()
}

/// Asks the sidecars of `pods`, again and again, and says which of them have no store.
pub(super) async fn follow(
    pods: watch::Receiver<Addresses>,
    port: u16,
    found: watch::Sender<Addresses>,
) {
    while !found.is_closed() {
        let asked: Vec<IpAddr> = pods.borrow().iter().copied().collect();
        let looks = stream::iter(asked)
            .map(|address| async move { Some((address, look(address, port).await?)) })
            .buffer_unordered(LANES)
            .filter_map(ready)
            .collect()
            .await;
        let now = without_store(&looks);
        found.send_if_modified(|known| {
            let changed = *known != now;
            *known = now;
            changed
        });
        sleep(LOOK_AGAIN).await;
    }
}

async fn look(address: IpAddr, port: u16) -> Option<Look> {
    let url = format!("http://{}/storez", SocketAddr::new(address, port));
    let answer = timeout(PATIENCE, ask("GET", &url)).await.ok()?.ok()?;
    serde_json::from_str(&answer.text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors;

    fn without(looks: &[&str]) -> Vec<u8> {
        let vectors = vectors::read("storez.json");
        let looks = looks.iter().zip(1_u8..).map(|(name, n)| {
            let vector = vectors.iter().find(|vector| vector["name"] == *name);
            let look = serde_json::from_value(vector.expect(name)["page"].clone()).unwrap();
            (IpAddr::from([10, 0, 0, n]), look)
        });
        let addresses = without_store(&looks.collect());
        let last = |address: &IpAddr| match address {
            IpAddr::V4(address) => address.octets()[3],
            IpAddr::V6(_) => 0,
        };
        addresses.iter().map(last).collect()
    }

    #[test]
    fn only_who_is_without_a_store_that_others_have_is_told_of() {
        let all = without(&["up", "down", "down_for_a_moment", "refusing"]);
        assert_eq!(all, [2]);
        let none_connected = without(&["up_without_application", "down_without_application"]);
        assert_eq!(none_connected, [2]);
        assert!(without(&["down", "down"]).is_empty());
        assert!(without(&["down", "refusing"]).is_empty());
        assert!(without(&[]).is_empty());
    }
}
