//! Whose certificate the store may have.

use std::path::Path;
use std::process::Command;

use crate::harness::{Daemon, Store, free_port, until};

/// One that everybody trusts, until 2045.
const PUBLIC: &str = "/C=DE/O=Deutsche Telekom Security GmbH/CN=Telekom Security TLS ECC Root 2020";

/// The files of a key and of a certificate that vouches for itself, or is said to be of an authority with that key.
fn certificate(directory: &Path, name: &str, more: &[&str]) -> (String, String) {
    let path = |end: &str| {
        directory
            .join(name)
            .with_extension(end)
            .display()
            .to_string()
    };
    let (key, certificate) = (path("key"), path("crt"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-keyout", &key, "-out", &certificate])
        .args(more)
        .output();
    assert!(made.expect("openssl on the PATH").status.success());
    (key, certificate)
}

/// As a store has it.
const OF_A_SERVER: [&str; 6] = [
    "-subj",
    "/CN=store",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
];

fn tls_on<'a>(port: &'a str, key: &'a str, certificate: &'a str) -> [&'a str; 10] {
    [
        "--tls-port",
        port,
        "--tls-cert-file",
        certificate,
        "--tls-key-file",
        key,
        "--tls-ca-cert-file",
        certificate,
        "--tls-auth-clients",
        "no",
    ]
}

#[test]
fn tls_by_an_authority_of_ones_own() {
    let directory = tempfile::tempdir().unwrap();
    let (key, certificate) = certificate(directory.path(), "store", &OF_A_SERVER);
    let port = free_port().to_string();
    let _store = Store::with(&tls_on(&port, &key, &certificate));
    let url = format!("rediss://127.0.0.1:{port}");
    let daemon = Daemon::with(&url, &[("SOJOURN_STORE_CA_FILE", &certificate)]);
    daemon.until_store("up");
    assert_eq!(daemon.client().commit("s", 0, "SET a 1").version(), 1);
    let stranger = Daemon::with(&url, &[]);
    until("the refusal", || {
        stranger.log().contains("kind=\"tls\"").then_some(())
    });
    assert!(stranger.log().contains("SOJOURN_STORE_CA_FILE"));
    let health = stranger.page("/storez");
    assert!(
        health.starts_with(r#"{"state":"down","seconds":"#) && health.contains(r#""kind":"tls""#),
        "{health}"
    );
}

/// Its name is public, and its key is not: what it did not sign is known by that where it is trusted, and else by nobody's having heard of it.
#[test]
fn a_public_authority_is_trusted_where_no_other_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let (authority_key, authority) = certificate(path, "authority", &["-subj", PUBLIC]);
    let (_, other) = certificate(path, "other", &["-subj", "/CN=other"]);
    let issued = ["-CA", &authority, "-CAkey", &authority_key];
    let (key, certificate) = certificate(path, "store", &[&issued[..], &OF_A_SERVER].concat());
    let port = free_port().to_string();
    let _store = Store::with(&tls_on(&port, &key, &certificate));
    let url = format!("rediss://127.0.0.1:{port}");
    // As in the image, where there is nothing beside the binary.
    let [nothing, missing] =
        ["nothing", "missing"].map(|name| path.join(name).display().to_string());
    let bare = ("SSL_CERT_DIR", nothing.as_str());
    let says = |settings: &[(&str, &str)], words: &str| {
        let daemon = Daemon::with(&url, settings);
        until(words, || daemon.log().contains(words).then_some(()));
    };
    says(&[bare], "BadSignature");
    says(&[bare, ("SOJOURN_STORE_CA_FILE", &other)], "UnknownIssuer");
    says(
        &[bare, ("SOJOURN_STORE_CA_FILE", &missing)],
        "UnknownIssuer",
    );
}

#[test]
fn the_nodes_of_a_cluster_are_connected_to_with_tls_too() {
    let directory = tempfile::tempdir().unwrap();
    let (key, certificate) = certificate(directory.path(), "store", &OF_A_SERVER);
    let (port, bus) = (free_port().to_string(), free_port().to_string());
    let cluster = ["--cluster-enabled", "yes", "--cluster-port", &bus];
    let named = [
        "--cluster-announce-hostname",
        "localhost",
        "--tls-cluster",
        "yes",
    ];
    let tls = tls_on(&port, &key, &certificate);
    let store = Store::with(&[&tls[..], &cluster, &named].concat());
    store.client().say("CLUSTER ADDSLOTSRANGE 0 16383");
    let url = format!("rediss-cluster://127.0.0.1:{port}");
    let daemon = Daemon::with(&url, &[("SOJOURN_STORE_CA_FILE", &certificate)]);
    assert_eq!(daemon.client().commit("s", 0, "SET a 1").version(), 1);
    assert!(
        daemon.log().contains(&format!("localhost:{port}")),
        "by name"
    );
}
