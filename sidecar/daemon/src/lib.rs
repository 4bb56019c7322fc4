//! `sojournd`: keeps a pod's HTTP sessions as bytes and commits them to a Redis-compatible store.

pub mod cache;
pub mod claims;
pub mod cli;
pub mod command;
pub mod config;
pub mod drain;
pub mod edge;
pub mod envoy;
#[doc(hidden)]
pub mod fuzz;
pub mod http;
pub mod install;
pub mod key;
pub mod logs;
pub mod metrics;
pub mod moment;
pub mod notes;
pub mod pace;
pub mod process;
pub mod readers;
pub mod readiness;
pub mod resp;
pub mod run;
pub mod scheduling;
pub mod seal;
pub mod serve;
pub mod server;
pub mod service;
pub mod session;
pub mod sessions;
pub mod store;
pub mod subscribers;
#[cfg(test)]
pub(crate) mod vectors;
