//! `sojournd` as it is: the binary, a real store, real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    missing_docs,
    unreachable_pub,
    reason = "a test that cannot go on says so and fails"
)]

mod asynchronous;
mod asynchronous_away;
mod asynchronous_lives;
mod brief;
mod claims;
mod claims_void;
mod cluster;
mod conversation;
mod costs;
mod edge;
mod envoy;
mod exclusive;
mod expiry;
mod full_expiry;
mod full_node;
mod full_store;
mod harness;
mod listeners;
mod lives;
mod long_outage;
mod lost_data;
mod memory;
mod moving;
mod outages;
mod overview;
mod pace;
mod page;
mod page_reader;
mod parts;
mod passive;
mod reaper;
mod reconnects;
mod renames;
mod renames_busy;
mod repeated;
mod replicas;
mod sentinel;
mod servers;
mod sessions;
mod shared;
mod skew;
mod startup;
mod stopped;
mod store_away;
mod tags;
mod tls;
mod told;
