//! What clients of Prometheus tell of their own process, by the names that it has everywhere.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::metrics::add;

/// The metrics of this process. A sidecar that is killed again and again is up whenever it is asked: only that it began anew tells.
#[derive(Debug)]
pub struct ProcessMetrics {
    start_time: Gauge,
    resident: Gauge,
}

impl ProcessMetrics {
    /// It begins now.
    pub(crate) fn begin(r: &mut Registry) -> Self {
        let metrics = Self {
            start_time: add(
                r,
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds",
            ),
            resident: add(
                r,
                "process_resident_memory_bytes",
                "Resident memory size in bytes",
            ),
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = now.unwrap_or_default().as_secs();
        metrics
            .start_time
            .set(i64::try_from(seconds).unwrap_or(i64::MAX));
        metrics
    }

    /// Looks what it takes now.
    pub(crate) fn look(&self) {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        if let Some(bytes) = resident(&status) {
            self.resident.set(bytes);
        }
    }
}

/// As the kernel says it: `VmRSS:     5120 kB`.
fn resident(status: &str) -> Option<i64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_the_kernel() {
        let status = "VmHWM:\t    9000 kB\nVmRSS:\t    5120 kB\nThreads:\t1\n";
        assert_eq!(resident(status), Some(5 << 20));
        assert_eq!(resident("Threads:\t1\n"), None);
    }
}
