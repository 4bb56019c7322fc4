//! Which server is the primary, as the Sentinels say.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{PushKind, RedisResult};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, info};

use super::client;
use super::conduct::Conduct;
use super::reason::Reason;
use crate::config::{Address, StoreConfig};

/// How often a Sentinel is asked that has published nothing.
const AGAIN: Duration = Duration::from_secs(1);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

type Named = Result<Address, Reason>;

/// The server that is the primary, as far as is known.
#[derive(Debug, Clone)]
pub(super) struct Primary {
    named: watch::Receiver<Named>,
    doubt: Arc<Notify>,
}

impl fmt::Display for Primary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.named.borrow() {
            Ok(address) => write!(f, "{address}"),
            Err(_) => write!(f, "the primary"),
        }
    }
}

impl Primary {
    /// Begins to ask; ends when nobody wants to know any more.
    pub(super) fn start(config: StoreConfig, sentinels: Vec<Address>, name: String) -> Self {
        let (sender, named) = watch::channel(Err(Reason::connecting()));
        let doubt = Arc::<Notify>::default();
        let follower = Follower {
            config,
            name,
            named: sender,
            doubt: Arc::clone(&doubt),
            conduct: Conduct::new(),
        };
        tokio::spawn(follower.run(sentinels));
        Self { named, doubt }
    }

    pub(super) fn address(&mut self) -> Named {
        self.named.borrow_and_update().clone()
    }

    /// Returns once it is another than [`Primary::address`] last said.
    pub(super) async fn moved(&mut self) {
        if self.named.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// It does not look like the primary: another Sentinel may know better.
    pub(super) fn doubt(&self) {
        self.doubt.notify_one();
    }
}

struct Follower {
    config: StoreConfig,
    name: String,
    named: watch::Sender<Named>,
    doubt: Arc<Notify>,
    /// One that takes longer to answer than the Sentinels are given by now is left for the next. They are given longer where none is in time.
    conduct: Conduct,
}

impl Follower {
    async fn run(self, mut sentinels: Vec<Address>) {
        // A hundred daemons do not all ask the same one.
        fastrand::shuffle(&mut sentinels);
        let mut pause = FIRST_PAUSE;
        for sentinel in sentinels.iter().cycle() {
            let followed = tokio::select! {
                followed = self.follow(sentinel) => followed,
                () = self.named.closed() => return,
            };
            match followed {
                Ok(()) => pause = FIRST_PAUSE,
                Err(reason) => {
                    debug!(%sentinel, %reason, "Sentinel of no use");
                    self.unknown(reason);
                    pause = (2 * pause).min(LONGEST_PAUSE);
                }
            }
            sleep(pause.mul_f64(fastrand::f64().midpoint(1.0))).await;
        }
    }

    /// What one Sentinel says, until somebody doubts it, or it says nothing any more.
    async fn follow(&self, sentinel: &Address) -> Result<(), Reason> {
        let client = client::of_sentinel(&self.config, sentinel)?;
        let connected = async {
            let (mut wire, events) = client::open_to_listen(&client).await?;
            wire.subscribe("+switch-master").await?;
            Ok((wire, events))
        };
        let (mut wire, mut events) = self.answered(sentinel, connected).await?;
        loop {
            // Asked after the subscription began: what was published before it is in the answer.
            self.ask(&mut wire, sentinel).await?;
            tokio::select! {
                event = events.recv() => {
                    if event.is_none_or(|event| event.kind == PushKind::Disconnection) {
                        return Err(no_sentinel(sentinel, &Reason::dropped()));
                    }
                }
                () = sleep(AGAIN) => {}
                () = self.doubt.notified() => return Ok(()),
            }
        }
    }

    async fn ask(
        &self,
        wire: &mut MultiplexedConnection,
        sentinel: &Address,
    ) -> Result<(), Reason> {
        let mut ask = redis::cmd("SENTINEL");
        ask.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.name);
        let answer = ask.query_async::<Option<(String, u16)>>(wire);
        let answer = self.answered(sentinel, answer).await?;
        let (host, port) = answer.ok_or_else(|| {
            let text = format!("Sentinel {sentinel} knows no primary {:?}", self.name);
            Reason::new("no primary", text)
        })?;
        let address = Address { host, port };
        self.named.send_if_modified(|named| {
            let news = named.as_ref() != Ok(&address);
            if news {
                info!(primary = %address, %sentinel, "primary named");
                *named = Ok(address);
            }
            news
        });
        Ok(())
    }

    /// An answer that came in time and is no error.
    async fn answered<T>(
        &self,
        sentinel: &Address,
        answer: impl Future<Output = RedisResult<T>>,
    ) -> Result<T, Reason> {
        let (asked, given) = (Instant::now(), self.conduct.response());
        let reason = match timeout(given, answer).await {
            Ok(Ok(answer)) => {
                self.conduct.answered(asked.elapsed());
                return Ok(answer);
            }
            Ok(Err(error)) => Reason::of(&error),
            Err(_) => Reason::timeout(given),
        };
        self.conduct.failed(&reason, given);
        Err(no_sentinel(sentinel, &reason))
    }

    /// Where no Sentinel can be asked, who was the primary may well be it still.
    fn unknown(&self, reason: Reason) {
        self.named.send_if_modified(|named| {
            let news = named.as_ref().is_err_and(|known| *known != reason);
            if news {
                *named = Err(reason);
            }
            news
        });
    }
}

fn no_sentinel(sentinel: &Address, reason: &Reason) -> Reason {
    Reason::new("no sentinel", format!("Sentinel {sentinel}: {reason}"))
}
