//! How a server, or a Sentinel, is connected to: address, login, certificates.

use std::fs;
use std::path::PathBuf;

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _,
    ProtocolVersion, PushInfo, RedisConnectionInfo, RedisResult, TlsCertificates,
};
use tokio::sync::mpsc;

use super::reason::Reason;
use crate::config::{Address, StoreConfig, StoreUrl};

/// So many commands can be given to the connection before it runs, and leave together: as many as a client may have under way.
const PIPELINE: usize = 1024;

/// The one server that the URL names.
pub(super) fn of_url(config: &StoreConfig, url: &str) -> Result<Client, Reason> {
    let info = url.into_connection_info();
    let info = info.map_err(|error| Reason::of(&error))?;
    let settings = logged_in(config, info.redis_settings().clone());
    client(config, info.set_redis_settings(settings))
}

/// A server that a Sentinel or a cluster names.
pub(super) fn of_server(config: &StoreConfig, address: &Address) -> Result<Client, Reason> {
    let mut settings = logged_in(config, RedisConnectionInfo::default());
    if let StoreUrl::Sentinel { database, .. } = config.url {
        settings = settings.set_db(database);
    }
    at(config, address, settings)
}

/// A Sentinel.
pub(super) fn of_sentinel(config: &StoreConfig, address: &Address) -> Result<Client, Reason> {
    let mut settings = RedisConnectionInfo::default();
    if let Some(username) = text(config.sentinel_username_file.as_ref()) {
        settings = settings.set_username(username);
    }
    if let Some(password) = text(config.sentinel_password_file.as_ref()) {
        settings = settings.set_password(password);
    }
    // The newer protocol: events and answers come on one connection, so that both are of one Sentinel, whatever the name leads to.
    at(
        config,
        address,
        settings.set_protocol(ProtocolVersion::RESP3),
    )
}

/// A connection to a Sentinel, and what it says by itself.
pub(super) async fn open_to_listen(
    client: &Client,
) -> RedisResult<(MultiplexedConnection, mpsc::UnboundedReceiver<PushInfo>)> {
    let (sender, events) = mpsc::unbounded_channel();
    let settings = AsyncConnectionConfig::new()
        .set_connection_timeout(None)
        .set_response_timeout(None)
        .set_push_sender(sender);
    let wire = client.get_multiplexed_async_connection_with_config(&settings);
    Ok((wire.await?, events))
}

/// Opens a connection. The time-outs are those of who opens it and who sends commands: where the library's ran out in the same moment
/// it came first, and connecting was not given longer the next time.
pub(super) async fn open(client: &Client) -> Result<MultiplexedConnection, Reason> {
    let settings = AsyncConnectionConfig::new()
        .set_connection_timeout(None)
        .set_response_timeout(None)
        .set_pipeline_buffer_size(PIPELINE);
    let wire = client
        .get_multiplexed_async_connection_with_config(&settings)
        .await;
    wire.map_err(|error| Reason::of(&error))
}

fn at(
    config: &StoreConfig,
    address: &Address,
    settings: RedisConnectionInfo,
) -> Result<Client, Reason> {
    let Address { host, port } = address.clone();
    let address = if is_secure(&config.url) {
        ConnectionAddr::TcpTls {
            host,
            port,
            insecure: false,
            tls_params: None,
        }
    } else {
        ConnectionAddr::Tcp(host, port)
    };
    let info = address.into_connection_info();
    let info = info.map_err(|error| Reason::of(&error))?;
    client(config, info.set_redis_settings(settings))
}

fn logged_in(config: &StoreConfig, mut settings: RedisConnectionInfo) -> RedisConnectionInfo {
    if let Some(username) = text(config.username_file.as_ref()).or_else(|| config.username.clone())
    {
        settings = settings.set_username(username);
    }
    if let Some(password) = text(config.password_file.as_ref()).or_else(|| config.password.clone())
    {
        settings = settings.set_password(password);
    }
    settings
}

fn client(config: &StoreConfig, info: ConnectionInfo) -> Result<Client, Reason> {
    let settings = info.redis_settings().clone();
    let info =
        info.set_redis_settings(settings.set_lib_name("sojournd", env!("CARGO_PKG_VERSION")));
    let client = match config.ca_file.as_ref().filter(|_| is_secure(&config.url)) {
        // Where a file is named, nobody else is trusted, not even while it is not there.
        Some(file) => Client::build_with_tls(
            info,
            TlsCertificates {
                client_tls: None,
                root_cert: Some(text(Some(file)).unwrap_or_default().into_bytes()),
            },
        ),
        // The library's feature has the public authorities in it: the image has no file with them.
        None => Client::open(info),
    };
    client.map_err(|error| Reason::of(&error))
}

fn is_secure(url: &StoreUrl) -> bool {
    match url {
        StoreUrl::Server(url) => url.starts_with("rediss://"),
        StoreUrl::Sentinel { tls, .. } | StoreUrl::Cluster { tls, .. } => *tls,
    }
}

/// A login whose file is not there, or not readable, counts as not set: the store then says what it thinks of that.
fn text(file: Option<&PathBuf>) -> Option<String> {
    let text = fs::read_to_string(file?).ok()?;
    Some(text.trim_end_matches(['\r', '\n']).to_owned()).filter(|text| !text.is_empty())
}
