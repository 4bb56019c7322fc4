//! The forms of `SOJOURN_STORE_URL`.

use std::fmt;

use super::reader::Parsed;

const FORMS: &str = "write redis://host:port, redis-sentinel://host:port,host:port#primary-name or \
    redis-cluster://host:port,host:port; rediss, rediss-sentinel or rediss-cluster for TLS";
const SENTINEL_PORT: u16 = 26379;
const SERVER_PORT: u16 = 6379;

/// Where the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// One server, in a form that the library knows.
    Server(String),
    /// Whichever server these Sentinels call the primary.
    Sentinel {
        /// With TLS.
        tls: bool,
        /// The Sentinels.
        sentinels: Vec<Address>,
        /// The primary's name.
        name: String,
        /// The database.
        database: i64,
    },
    /// A cluster that these nodes are of.
    Cluster {
        /// With TLS.
        tls: bool,
        /// The nodes.
        nodes: Vec<Address>,
    },
}

impl Default for StoreUrl {
    fn default() -> Self {
        Self::Server(String::new())
    }
}

/// A host, by name or address, and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// An IPv6 address without its brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl Address {
    /// `host:port`, `[host]:port`, or with a `default` port either without it. What is wrong, if it is.
    pub fn read(text: &str, default: Option<u16>) -> Result<Self, String> {
        let (host, port) = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').unwrap_or(port))),
            None => match text.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        if host.is_empty() || (host.contains(':') && !text.starts_with('[')) {
            return Err(format!("{text:?} is no host"));
        }
        let number = match port {
            Some(port) => port.parse().ok().filter(|port| *port > 0),
            None => default,
        };
        let port = number.ok_or_else(|| format!("{text:?} has no port from 1 to 65535"))?;
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

pub(super) fn store_url(value: &str) -> Parsed<StoreUrl> {
    let (scheme, rest) = value.split_once("://").ok_or(FORMS)?;
    let tls = scheme.starts_with("rediss");
    let url = match scheme {
        "redis" | "rediss" => {
            if redis::parse_redis_url(value).is_some_and(|url| url.has_host()) {
                return Ok(StoreUrl::Server(value.to_owned()));
            }
            Err("it has no host, or a port that is none".to_owned())
        }
        "redis-sentinel" | "rediss-sentinel" => sentinel(tls, rest),
        "redis-cluster" | "rediss-cluster" => cluster(tls, rest),
        _ => return Err(FORMS.to_owned()),
    };
    url.map_err(|wrong| format!("{wrong}: {FORMS}"))
}

fn sentinel(tls: bool, rest: &str) -> Result<StoreUrl, String> {
    let (rest, name) = rest.rsplit_once('#').unwrap_or((rest, ""));
    if name.is_empty() {
        return Err("the primary's name is missing after #".to_owned());
    }
    let (rest, database) = rest.split_once('/').unwrap_or((rest, ""));
    let number = match database {
        "" => Some(0),
        number => number.parse().ok().filter(|number| *number >= 0),
    };
    Ok(StoreUrl::Sentinel {
        tls,
        sentinels: addresses(rest, SENTINEL_PORT)?,
        name: name.to_owned(),
        database: number.ok_or_else(|| format!("{database:?} is no database"))?,
    })
}

fn cluster(tls: bool, rest: &str) -> Result<StoreUrl, String> {
    if rest.contains('#') {
        return Err("a cluster has no primary's name".to_owned());
    }
    let (rest, database) = rest.split_once('/').unwrap_or((rest, ""));
    if !database.is_empty() {
        return Err("a cluster has no databases".to_owned());
    }
    let nodes = addresses(rest, SERVER_PORT)?;
    Ok(StoreUrl::Cluster { tls, nodes })
}

fn addresses(list: &str, default: u16) -> Result<Vec<Address>, String> {
    if list.contains('@') {
        // Not repeated: it may be a password.
        return Err(
            "credentials go into SOJOURN_STORE_USERNAME(_FILE) and _PASSWORD(_FILE)".into(),
        );
    }
    if list.is_empty() {
        return Err("it has no host".to_owned());
    }
    let hosts = list.split(',');
    hosts
        .map(|host| Address::read(host, Some(default)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(host: &str, port: u16) -> Address {
        Address {
            host: host.to_owned(),
            port,
        }
    }

    #[test]
    fn servers_sentinels_and_clusters_have_urls() {
        let server = "rediss://user:secret@store:7000/1";
        assert_eq!(store_url(server), Ok(StoreUrl::Server(server.to_owned())));
        let sentinel = StoreUrl::Sentinel {
            tls: false,
            sentinels: vec![address("s1", 26379), address("::1", 7), address("s-3.x", 9)],
            name: "sessions".to_owned(),
            database: 0,
        };
        let text = "redis-sentinel://s1,[::1]:7,s-3.x:9#sessions";
        assert_eq!(store_url(text), Ok(sentinel));
        assert!(matches!(
            store_url("rediss-sentinel://s1:1/3#a-b.c"),
            Ok(StoreUrl::Sentinel { tls: true, database: 3, name, .. }) if name == "a-b.c"
        ));
        let nodes = vec![address("n1", 6379), address("n2", 7000)];
        let cluster = |tls| StoreUrl::Cluster {
            tls,
            nodes: nodes.clone(),
        };
        assert_eq!(store_url("redis-cluster://n1,n2:7000"), Ok(cluster(false)));
        assert_eq!(store_url("rediss-cluster://n1,n2:7000/"), Ok(cluster(true)));
    }

    #[test]
    fn what_is_wrong_with_a_url_is_said_and_no_credentials_with_it() {
        for (wrong, expected) in [
            ("store:6379", "write redis://host:port"),
            ("http://store", "write redis://host:port"),
            ("redis://", "no host"),
            ("redis://h:99999", "a port that is none"),
            ("redis-sentinel://s1:26379", "name is missing after #"),
            ("redis-sentinel://s1:26379#", "name is missing after #"),
            ("redis-sentinel://#n", "no host"),
            ("redis-sentinel://s1,,s2#n", "\"\" is no host"),
            ("redis-sentinel://s1:x#n", "\"s1:x\" has no port"),
            ("redis-sentinel://s1:0#n", "\"s1:0\" has no port"),
            ("redis-sentinel://::1#n", "is no host"),
            ("redis-sentinel://s1/x#n", "\"x\" is no database"),
            ("redis-sentinel://:secret@s1#n", "SOJOURN_STORE_USERNAME"),
            ("redis-cluster://", "no host"),
            ("redis-cluster://n1:70000", "\"n1:70000\" has no port"),
            ("redis-cluster://n1:6379/1", "no databases"),
            ("redis-cluster://n1:6379#n", "no primary's name"),
        ] {
            let said = store_url(wrong).unwrap_err();
            assert!(said.contains(expected), "{wrong}: {said}");
            assert!(!said.contains("secret"), "{said}");
            assert!(
                said.contains("redis-cluster://host:port"),
                "the mend: {said}"
            );
        }
    }

    #[test]
    fn an_address_is_written_as_it_is_read() {
        for text in ["h:1", "[::1]:6379"] {
            assert_eq!(Address::read(text, None).unwrap().to_string(), text);
        }
    }
}
