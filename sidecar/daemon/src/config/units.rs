//! What the values of settings may be. Each parser says on failure how to write the value.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::reader::Parsed;
use super::store::Outage;
use super::{Drain, Mode};
use crate::session::packing::Packing;

#[expect(clippy::unnecessary_wraps, reason = "one of many parsers")]
pub(super) fn text(value: &str) -> Parsed<String> {
    Ok(value.to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "one of many parsers")]
pub(super) fn path(value: &str) -> Parsed<PathBuf> {
    Ok(PathBuf::from(value))
}

pub(super) fn cluster(value: &str) -> Parsed<String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if value.len() <= 190 && value.bytes().all(good) {
        Ok(value.to_owned())
    } else {
        Err("write at most 190 letters, digits, '-', '.' or '_', e.g. <namespace>.<name>".into())
    }
}

pub(super) fn mode(value: &str) -> Parsed<Mode> {
    match value {
        "Sync" => Ok(Mode::Sync),
        "Async" => Ok(Mode::Async),
        _ => Err("write Sync or Async".into()),
    }
}

pub(super) fn drain(value: &str) -> Parsed<Drain> {
    match value {
        "Immediate" => Ok(Drain::Immediate),
        "Sticky" => Ok(Drain::Sticky),
        _ => Err("write Immediate or Sticky".into()),
    }
}

pub(super) fn outage(value: &str) -> Parsed<Outage> {
    match value {
        "Serve" => Ok(Outage::Serve),
        "Refuse" => Ok(Outage::Refuse),
        _ => Err("write Serve or Refuse".into()),
    }
}

pub(super) fn switch(value: &str) -> Parsed<bool> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("write true or false".to_owned()),
    }
}

pub(super) fn port(value: &str) -> Parsed<u16> {
    let port = value.parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| "write a port from 1 to 65535".into())
}

pub(super) fn address(value: &str) -> Parsed<SocketAddr> {
    value
        .parse()
        .map_err(|_| "write address:port, e.g. 127.0.0.1:15900".into())
}

pub(super) fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

pub(super) fn loopback_address(value: &str) -> Parsed<SocketAddr> {
    let address = address(value)?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err("sessions are served on loopback only: write 127.0.0.1:port".into())
    }
}

pub(super) fn level(value: &str) -> Parsed<tracing::Level> {
    value
        .parse()
        .map_err(|_| "write error, warn, info, debug or trace".into())
}

pub(super) fn bytes(value: &str) -> Parsed<usize> {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match value.get(digits.len()..) {
        Some("") => 0,
        Some("KiB" | "Ki") => 10,
        Some("MiB" | "Mi") => 20,
        Some("GiB" | "Gi") => 30,
        _ => 64,
    };
    let number = digits.parse::<usize>().ok().filter(|number| *number > 0);
    let bytes = number.and_then(|number| number.checked_mul(1_usize.checked_shl(shift)?));
    bytes.ok_or_else(|| "write a number of bytes above 0, e.g. 65536, 64KiB, 64MiB or 1GiB".into())
}

pub(super) fn count(value: &str) -> Parsed<usize> {
    let number = value.parse().ok().filter(|number| *number <= 1000);
    number.ok_or_else(|| "write a number from 0 to 1000".into())
}

pub(super) fn rate(value: &str) -> Parsed<u32> {
    let rate = value.parse().ok().filter(|rate| *rate > 0);
    rate.ok_or_else(|| "write how many a second, e.g. 200".into())
}

pub(super) fn packing(value: &str) -> Parsed<Packing> {
    if value == "off" {
        return Ok(Packing::OFF);
    }
    let above = bytes(value)
        .map_err(|mend| format!("write off, or {}", mend.trim_start_matches("write ")))?;
    Ok(Packing(Some(above)))
}

/// A duration such as `500ms`, `5s` or `1m`.
pub fn duration(value: &str) -> Result<Duration, String> {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match value.get(digits.len()..) {
        Some("ms") => Some(1),
        Some("s") => Some(1_000),
        Some("m") => Some(60_000),
        _ => None,
    };
    let millis = digits
        .parse::<u64>()
        .ok()
        .zip(unit)
        .and_then(|(number, unit)| number.checked_mul(unit));
    millis
        .map(Duration::from_millis)
        .ok_or_else(|| "write a duration, e.g. 500ms, 5s or 1m".into())
}

/// A duration of what is done again and again, or waited for: without any it would be done without a pause, or never.
pub(super) fn some_time(value: &str) -> Parsed<Duration> {
    let some = duration(value).ok().filter(|time| !time.is_zero());
    some.ok_or_else(|| "write a duration above 0, e.g. 500ms, 5s or 1m".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_durations_have_units() {
        assert_eq!(bytes("64MiB"), Ok(64 << 20));
        assert_eq!(bytes("1000"), Ok(1000));
        assert!(bytes("0").is_err() && bytes("5MB").is_err() && bytes("MiB").is_err());
        assert!(bytes("99999999999999999999GiB").is_err());
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m"), Ok(Duration::from_mins(1)));
        assert!(duration("5").is_err() && duration("-5s").is_err() && duration("s").is_err());
    }

    #[test]
    fn a_cluster_fits_a_key() {
        assert!(cluster("default.shop-1").is_ok());
        assert!(cluster("a:b").is_err() && cluster("{a}").is_err());
    }
}
