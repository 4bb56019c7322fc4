//! The configuration of the edge.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::reader::{Problems, Reader};
use super::{Sources, units};

/// What becomes of the sessions on a pod that drains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drain {
    /// They move at once.
    Immediate,
    /// They stay until the pod is gone: for sessions that cannot be serialized.
    Sticky,
}

/// What `edge` needs.
#[derive(Debug, Clone)]
pub struct EdgeConfig {
    /// Where the application's pods are.
    pub namespace: String,
    /// Which pods they are.
    pub selector: String,
    /// Their port.
    pub port: u16,
    /// Their sidecars' port.
    pub sidecar_port: u16,
    /// The endpoint file.
    pub out: PathBuf,
    /// The name of Envoy's cluster.
    pub cluster: String,
    /// What becomes of sessions on a pod that drains.
    pub drain: Drain,
    /// The `ConfigMap` that holds Envoy's routes, if the edge is to bring them.
    pub config_map: Option<String>,
    /// Where that `ConfigMap`'s routes are mounted: what Envoy begins with.
    pub routes: PathBuf,
    /// The admin interface of the Envoy beside, if that must reach the application before it is ready.
    pub admin: Option<SocketAddr>,
    /// What that Envoy asks the pods; it only connects to them where there is none.
    pub health_check_path: Option<String>,
    /// Health and metrics.
    pub http: SocketAddr,
}

impl EdgeConfig {
    /// Reads and checks what `edge` needs.
    pub fn read(sources: &Sources) -> Result<Self, Problems> {
        let mut reader = Reader::new(sources);
        let out = PathBuf::from("/sojourn/xds/eds.json");
        let config = Self {
            namespace: reader.required("edge.namespace", units::text),
            selector: reader.required("edge.selector", units::text),
            port: reader.required("edge.port", units::port),
            sidecar_port: reader.with_default("edge.sidecar_port", units::port, 15900),
            out: reader.with_default("edge.out", units::path, out),
            cluster: reader.with_default("edge.cluster", units::text, "app".into()),
            drain: reader.with_default("edge.drain", units::drain, Drain::Immediate),
            config_map: reader.optional("edge.config_map", units::text),
            routes: reader.with_default("edge.routes", units::path, "/config/rds.yaml".into()),
            admin: reader.optional("edge.admin", units::address),
            health_check_path: reader.optional("edge.health_check_path", units::text),
            http: reader.with_default("http", units::address, units::loopback(15901)),
        };
        reader.finish(config)
    }
}
