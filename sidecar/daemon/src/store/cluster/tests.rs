use bytes::BytesMut;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::config::Config;
use crate::resp::Decoder;

/// Says that all slots are its own.
async fn claim_all(mut stream: TcpStream, port: u16) {
    let all =
        format!("*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$9\r\n127.0.0.1\r\n:{port}\r\n$1\r\nx\r\n");
    let (mut decoder, mut input) = (Decoder::default(), BytesMut::new());
    while stream.read_buf(&mut input).await.is_ok_and(|read| read > 0) {
        while let Ok(Some(request)) = decoder.decode(&mut input) {
            let is_asked = request.get(1).is_some_and(|word| word == "SLOTS");
            let answer = if is_asked { &all } else { "+OK\r\n" };
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

async fn node() -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(claim_all(stream, address.port()));
        }
    });
    Address::read(&address.to_string(), None).unwrap()
}

/// Of two that contradict each other, for one has not heard yet of what has become of it.
#[tokio::test]
async fn the_node_that_is_named_as_an_owner_is_asked_who_has_what() {
    let [before, now] = [node().await, node().await];
    let url = format!("redis-cluster://{before}");
    let config = Config::of_a_test(&url).store;
    let (cluster, mut whole) = Cluster::start(config, Arc::default(), vec![before]);
    let is_up = |state: &State| matches!(state, State::Up(_));
    whole.wait_for(is_up).await.unwrap();
    let (_, slot) = cluster.slots.iter().next().unwrap();
    let moved = redis::parse_redis_value(format!("-MOVED {slot} {now}\r\n").as_bytes());
    let moved = moved.and_then(Value::extract_error).unwrap_err();
    assert!(cluster.has_moved(&moved));
    let has_all = |map: &Map| {
        let primaries = map.primaries();
        primaries.len() == 1 && primaries.iter().all(|(_, owner)| owner.node.is_at(&now))
    };
    let mut map = cluster.map();
    let known = timeout(Duration::from_secs(10), map.wait_for(has_all)).await;
    assert!(known.is_ok(), "who had it before was believed");
}
