//! The second connection to the store: what other daemons say.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use redis::aio::PubSubSink;
use redis::{Client, Msg};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tracing::debug;

use super::reason::Reason;
use super::target::Target;
use crate::claims::Claims;
use crate::claims::message::Message;
use crate::config::StoreConfig;

const CONNECT: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Our own beats come every second: after this long without any the connection is dead, whatever it says.
const SILENCE: Duration = Duration::from_secs(3);
/// How often a store that forbids it is asked whether it still does.
const FORBIDDEN: Duration = Duration::from_secs(30);

/// What comes of the channels.
#[derive(Debug)]
pub enum Heard {
    /// They are subscribed to, perhaps anew: what was said before was said to nobody here.
    Subscribed,
    /// What a daemon says.
    Said(Message),
}

/// Listens until nobody wants the messages any more. `heard` is told once the channels are subscribed to.
pub(super) fn start(
    config: StoreConfig,
    mut target: Target,
    claims: Arc<Claims>,
    heard: Arc<tokio::sync::Notify>,
) -> mpsc::UnboundedReceiver<Heard> {
    let (messages, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut pause = FIRST_PAUSE;
        while !messages.is_closed() {
            let client = target.client(&config);
            match timeout(CONNECT, subscribe(client, &claims)).await {
                Ok(Ok(Some((sink, stream)))) => {
                    pause = FIRST_PAUSE;
                    heard.notify_one();
                    // As with any other message: if nobody wants it, all is over.
                    _ = messages.send(Heard::Subscribed);
                    tokio::select! {
                        () = pass_on(sink, stream, &claims, &messages) => {}
                        () = target.moved() => {}
                    }
                }
                Ok(Ok(None)) => pause = FORBIDDEN,
                Ok(Err(reason)) => debug!(%reason, "no channels"),
                Err(_) => debug!("no channels within {CONNECT:?}"),
            }
            tokio::select! {
                () = sleep(pause.mul_f64(fastrand::f64().midpoint(1.0))) => {}
                () = target.moved() => pause = FIRST_PAUSE,
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    });
    receiver
}

/// `None` where the store's user may not: then there are no claims.
async fn subscribe(
    client: Result<Client, Reason>,
    claims: &Claims,
) -> Result<Option<(PubSubSink, impl Stream<Item = Msg> + Unpin + use<>)>, Reason> {
    let connected = client?.get_async_pubsub().await;
    // What is refused here is refused to every connection, and passes as it does there.
    let (mut sink, stream) = connected.map_err(|error| Reason::of(&error))?.split();
    let Err(error) = sink.subscribe(&channels(claims)).await else {
        return Ok(Some((sink, stream)));
    };
    let reason = Reason::of(&error);
    if !reason.is_forbidden() {
        return Err(reason);
    }
    claims.forbid(&reason.to_string());
    Ok(None)
}

fn channels(claims: &Claims) -> [String; 2] {
    [claims.channel(), claims.channel_of_all()]
}

/// Returns once the connection is of no use.
async fn pass_on(
    mut sink: PubSubSink,
    mut stream: impl Stream<Item = Msg> + Unpin,
    claims: &Claims,
    messages: &mpsc::UnboundedSender<Heard>,
) {
    loop {
        let message = match timeout(SILENCE, stream.next()).await {
            Ok(Some(message)) => message,
            // Then there are no beats to hear, and all is quiet: only a connection that is made anew may have missed anything.
            Err(_) if claims.is_forbidden() && is_subscribed(&mut sink, claims).await => continue,
            _ => return,
        };
        let Some(message) = Message::read(message.get_payload_bytes()) else {
            debug!("a message that this version does not know");
            continue;
        };
        if messages.send(Heard::Said(message)).is_err() {
            return;
        }
    }
}

/// Asks the server, which subscribes nobody twice.
async fn is_subscribed(sink: &mut PubSubSink, claims: &Claims) -> bool {
    let answer = timeout(CONNECT, sink.subscribe(&channels(claims))).await;
    matches!(answer, Ok(Ok(())))
}
