//! A session's name, sealed, so that whoever ends an expired session can tell the application which one it was, while a
//! dump of the store yields no usable cookie.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::config::{Config, StoreConfig};
use crate::key::Digest;

/// Passwords rotate: what was sealed before is still opened.
const KEPT_KEYS: usize = 4;

/// Where the key comes from.
#[derive(Debug)]
struct Secret {
    cluster: String,
    /// The first that can be read and is not empty: a key file, the password's file.
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
    keys: Vec<LessSafeKey>,
}

impl Sealer {
    /// With the key that the configuration's secret gives, for the names in this store.
    pub fn new(config: &Config, store: &StoreConfig) -> Self {
        let files = [&config.seal_key_file, &store.password_file];
        let secret = Secret {
            cluster: config.cluster.clone(),
            files: files.into_iter().flatten().cloned().collect(),
            password: store.password.clone(),
        };
        let sealer = Self {
            secret,
            random: SystemRandom::new(),
            keys: Mutex::new(Keys {
                secret: Vec::new(),
                keys: Vec::new(),
            }),
        };
        sealer.read_secret();
        sealer
    }

    /// Reads the secret again. A new one seals from now on; the old ones still open.
    pub fn read_secret(&self) {
        let secret = self.secret.read();
        let mut keys = self.keys();
        if keys.keys.is_empty() || keys.secret != secret {
            keys.keys.extend(derive(&secret, &self.secret.cluster));
            keys.keys.rotate_right(1);
            keys.keys.truncate(KEPT_KEYS);
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
        let done = keys.keys.first().and_then(|key| {
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
        let name = keys.keys.iter().find_map(|key| {
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
    fn read(&self) -> Vec<u8> {
        let file = self.files.iter().find_map(|file| {
            let bytes = std::fs::read(file).ok()?;
            let secret = bytes.trim_ascii_end().to_vec();
            (!secret.is_empty()).then_some(secret)
        });
        let password = || self.password.as_ref().map(|text| text.clone().into_bytes());
        // With neither, whoever can read the store can read the names: the key only keeps them from being read by accident.
        file.or_else(password)
            .unwrap_or_else(|| self.cluster.clone().into_bytes())
    }
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
}
