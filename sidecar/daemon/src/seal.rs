//! A session's name, sealed, so that whoever ends an expired session can tell the application which one it was, while a
//! dump of the store yields no usable cookie.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use redis::IntoConnectionInfo as _;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use tracing::warn;

use crate::config::{Config, StoreConfig, StoreUrl};
use crate::key::Digest;

/// Passwords rotate: what was sealed before is still opened.
const KEPT_KEYS: usize = 4;

/// Where the key comes from.
#[derive(Debug)]
struct Secret {
    cluster: String,
    /// A key file, the password's file: the first that is not empty.
    files: Vec<PathBuf>,
    /// The password where no file says otherwise.
    password: Option<String>,
}

/// Seals names, and opens them.
#[derive(Debug)]
pub struct Sealer {
    secret: Secret,
    random: SystemRandom,
    keys: Mutex<Keys>,
}

#[derive(Debug)]
struct Keys {
    /// What the newest key was made from.
    secret: Vec<u8>,
    /// The newest first.
    known: Vec<LessSafeKey>,
    /// That a file cannot be read.
    is_warned: bool,
}

impl Sealer {
    /// With the key that the configuration's secret gives, for the names in this store.
    pub fn new(config: &Config, store: &StoreConfig) -> Self {
        let files = [&config.seal_key_file, &store.password_file];
        let secret = Secret {
            cluster: config.cluster.clone(),
            files: files.into_iter().flatten().cloned().collect(),
            password: store.password.clone().or_else(|| in_url(&store.url)),
        };
        let sealer = Self {
            secret,
            random: SystemRandom::new(),
            keys: Mutex::new(Keys {
                secret: Vec::new(),
                known: Vec::new(),
                is_warned: false,
            }),
        };
        sealer.read_secret();
        if store.password.is_none() && sealer.secret.password.is_some() {
            // By that daemons sealed that did not take the password of a URL for one.
            let before = derive(config.cluster.as_bytes(), &config.cluster);
            sealer.keys().known.extend(before);
        }
        sealer
    }

    /// Reads the secret again. A new one seals from now on; the old ones still open. Where a file cannot be read, the keys stay as they are: what comes
    /// after it is no new secret, but what anybody may know.
    pub fn read_secret(&self) {
        let (secret, unreadable) = self.secret.read();
        let mut keys = self.keys();
        if let Some((file, error)) = unreadable {
            let at_start = keys.known.is_empty();
            if !std::mem::replace(&mut keys.is_warned, true) {
                warn!(
                    file = %file.display(), %error, at_start,
                    mend = "make it readable; until then the keys stay as they are, at the start those of what is given after it",
                    "secret of names not readable"
                );
            }
            if !at_start {
                return;
            }
        } else {
            keys.is_warned = false;
        }
        if keys.known.is_empty() || keys.secret != secret {
            keys.known.extend(derive(&secret, &self.secret.cluster));
            keys.known.rotate_right(1);
            keys.known.truncate(KEPT_KEYS);
            keys.secret = secret;
        }
    }

    /// The nonce, and the name sealed; empty where that cannot be done, and the listeners are then not told.
    pub fn seal(&self, id: Digest, name: &[u8]) -> Vec<u8> {
        let mut nonce = [0; NONCE_LEN];
        if self.random.fill(&mut nonce).is_err() {
            return Vec::new();
        }
        let mut sealed = name.to_vec();
        let keys = self.keys();
        let done = keys.known.first().and_then(|key| {
            let nonce = Nonce::assume_unique_for_key(nonce);
            key.seal_in_place_append_tag(nonce, Aad::from(id.bytes()), &mut sealed)
                .ok()
        });
        if done.is_none() {
            return Vec::new();
        }
        [nonce.as_slice(), &sealed].concat()
    }

    /// The name; `None` if it was sealed with a key that we do not have, or for another session.
    pub fn open(&self, id: Digest, sealed: &[u8]) -> Option<Bytes> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let keys = self.keys();
        let name = keys.known.iter().find_map(|key| {
            let mut bytes = sealed.to_vec();
            let nonce = Nonce::assume_unique_for_key(*nonce);
            let name = key.open_in_place(nonce, Aad::from(id.bytes()), &mut bytes);
            name.ok().map(|name| Bytes::copy_from_slice(name))
        })?;
        (Digest::of(&name) == id).then_some(name)
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Secret {
    /// What it is, and the file that it is perhaps not for, which cannot be read.
    fn read(&self) -> (Vec<u8>, Option<(&Path, io::Error)>) {
        let mut unreadable = None;
        for file in &self.files {
            match std::fs::read(file) {
                Ok(bytes) if bytes.trim_ascii_end().is_empty() => {}
                Ok(bytes) => return (bytes.trim_ascii_end().to_vec(), unreadable),
                Err(error) => {
                    unreadable.get_or_insert((file.as_path(), error));
                }
            }
        }
        // With no password either, whoever can read the store can read the names: the key only keeps them from being read by accident.
        let password = self.password.as_ref().unwrap_or(&self.cluster);
        (password.clone().into_bytes(), unreadable)
    }
}

fn in_url(url: &StoreUrl) -> Option<String> {
    let StoreUrl::Server(url) = url else {
        return None;
    };
    let info = url.as_str().into_connection_info().ok()?;
    info.redis_settings().password().map(str::to_owned)
}

fn derive(secret: &[u8], cluster: &str) -> Option<LessSafeKey> {
    let salt = Salt::new(HKDF_SHA256, b"sojourn session names 1");
    let info = [cluster.as_bytes()];
    let pseudorandom = salt.extract(secret);
    let material = pseudorandom.expand(&info, &AES_256_GCM).ok()?;
    Some(LessSafeKey::new(UnboundKey::from(material)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    fn sealer(settings: &[(&str, &str)]) -> Sealer {
        let basic = [
            ("SOJOURN_CLUSTER", "c"),
            ("SOJOURN_STORE_URL", "redis://store"),
        ];
        let environment = basic.iter().chain(settings);
        let environment = environment
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let sources = Sources {
            environment,
            file: None,
        };
        let config = Config::read(&sources).unwrap();
        Sealer::new(&config, &config.store)
    }

    #[test]
    fn what_one_daemon_seals_another_of_the_same_secret_opens() {
        let settings = [("SOJOURN_STORE_PASSWORD", "secret")];
        let (one, other) = (sealer(&settings), sealer(&settings));
        let id = Digest::of(b"/shop\nA1");
        let sealed = one.seal(id, b"/shop\nA1");
        assert!(!sealed.windows(5).any(|part| part == b"/shop"));
        assert_ne!(sealed, one.seal(id, b"/shop\nA1"), "a nonce each time");
        assert_eq!(other.open(id, &sealed).as_deref(), Some(&b"/shop\nA1"[..]));
        assert_eq!(other.open(Digest::of(b"other"), &sealed), None);
        assert_eq!(other.open(id, sealed.get(1..).unwrap()), None);
        assert_eq!(other.open(id, b""), None);
        let stranger = sealer(&[("SOJOURN_STORE_PASSWORD", "other")]);
        assert_eq!(stranger.open(id, &sealed), None);
    }

    #[test]
    fn a_password_in_the_url_is_the_store_s_and_what_was_sealed_without_it_is_still_opened() {
        let id = Digest::of(b"s");
        let in_url = sealer(&[("SOJOURN_STORE_URL", "redis://user:s%20cret@store")]);
        let sealed = in_url.seal(id, b"s");
        let set = sealer(&[("SOJOURN_STORE_PASSWORD", "s cret")]);
        assert!(set.open(id, &sealed).is_some());
        let by_cluster = sealer(&[]);
        assert_eq!(by_cluster.open(id, &sealed), None);
        assert!(in_url.open(id, &by_cluster.seal(id, b"s")).is_some());
    }

    #[test]
    fn a_key_file_wins_and_a_new_key_still_opens_what_the_old_one_sealed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "first\n").unwrap();
        let settings = [
            ("SOJOURN_STORE_PASSWORD", "secret"),
            ("SOJOURN_SEAL_KEY_FILE", file.path().to_str().unwrap()),
        ];
        let sealer_of_both = sealer(&settings);
        let id = Digest::of(b"s");
        let sealed = sealer_of_both.seal(id, b"s");
        assert_eq!(sealer(&settings[..1]).open(id, &sealed), None);
        std::fs::write(file.path(), "second\n").unwrap();
        sealer_of_both.read_secret();
        assert!(sealer_of_both.open(id, &sealed).is_some());
        let newer = sealer_of_both.seal(id, b"s");
        assert!(sealer(&settings).open(id, &newer).is_some());
        assert_eq!(sealer(&settings).open(id, &sealed), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_for_a_while_changes_no_key() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("key");
        let settings = [
            ("SOJOURN_STORE_PASSWORD", "secret"),
            ("SOJOURN_SEAL_KEY_FILE", file.to_str().unwrap()),
        ];
        let (id, by_password) = (Digest::of(b"s"), sealer(&settings[..1]));
        let by_both = sealer(&settings);
        let first = by_both.seal(id, b"s");
        assert!(by_password.open(id, &first).is_some(), "at the start");
        std::fs::write(&file, "key").unwrap();
        by_both.read_secret();
        std::fs::remove_file(&file).unwrap();
        by_both.read_secret();
        let sealed = by_both.seal(id, b"s");
        assert_eq!(by_password.open(id, &sealed), None);
        assert_eq!(by_both.keys().known.len(), 2);
        assert!(by_both.open(id, &first).is_some());
    }
}
