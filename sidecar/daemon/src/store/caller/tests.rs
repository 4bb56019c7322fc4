use bytes::BytesMut;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};

use super::*;
use crate::config::Config;
use crate::resp::Decoder;
use crate::store::scripts::Scripts;

/// Answers everything but scripts; and of those only the one after so many.
struct Server {
    unanswered: usize,
}

impl Server {
    async fn run(mut self, listener: TcpListener) {
        let (asked, mut scripts) = mpsc::unbounded_channel();
        loop {
            tokio::select! {
                Ok((stream, _)) = listener.accept() => {
                    tokio::spawn(talk(stream, asked.clone()));
                }
                Some(answer) = scripts.recv() => match self.unanswered.checked_sub(1) {
                    Some(less) => self.unanswered = less,
                    None => answer.notify_one(),
                },
            }
        }
    }
}

async fn talk(mut stream: TcpStream, asked: mpsc::UnboundedSender<Arc<Notify>>) {
    let (mut decoder, mut input) = (Decoder::default(), BytesMut::new());
    while stream.read_buf(&mut input).await.is_ok_and(|read| read > 0) {
        while let Ok(Some(request)) = decoder.decode(&mut input) {
            let mut reply: &[u8] = b"+OK\r\n";
            if request[0].as_ref() == b"EVALSHA" {
                let answer = Arc::<Notify>::default();
                asked.send(Arc::clone(&answer)).unwrap();
                answer.notified().await;
                reply = b":7\r\n";
            }
            if stream.write_all(reply).await.is_err() {
                return;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_must_be_done_is_asked_for_again_however_often_nobody_answered() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(Server { unanswered: 100 }.run(listener));
    let config = Config::of_a_test(&url).store;
    let caller = Caller::start(&config, Arc::default());
    let run = Run {
        script: &Scripts::new().touch,
        keys: &["sj:{3f}:a:3fa0"],
        arguments: &[],
    };
    let answer = caller.run(run, Patience::Endless).await;
    assert_eq!(answer.unwrap(), Value::Int(7));
}
