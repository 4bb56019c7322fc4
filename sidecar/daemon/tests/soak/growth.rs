//! What a process takes, and whether that grows.

use std::fs;

/// What it takes at one moment, after so many operations.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub resident: u64,
    pub files: usize,
    pub operations: u64,
}

const PAGE: u64 = 4096;
/// Allocators keep what they had once; a part of this is no leak.
const SLACK: u64 = 1 << 20;

pub fn sample(process: u32, operations: u64) -> Sample {
    let status = fs::read_to_string(format!("/proc/{process}/statm")).unwrap();
    let pages: u64 = status.split(' ').nth(1).unwrap().parse().unwrap();
    Sample {
        resident: pages * PAGE,
        files: fs::read_dir(format!("/proc/{process}/fd")).unwrap().count(),
        operations,
    }
}

/// Compares the last quarter with the one after the first half, by their medians: what is filled by then stays as it is, and
/// what leaks has grown by half. More than a tenth and the slack is a leak.
pub fn growth(samples: &[Sample]) -> Option<String> {
    let quarter = samples.len() / 4;
    let (warm, end) = (&samples[2 * quarter..3 * quarter], &samples[3 * quarter..]);
    let median = |part: &[Sample], of: fn(&Sample) -> u64| {
        let mut values: Vec<u64> = part.iter().map(of).collect();
        values.sort_unstable();
        values[values.len() / 2]
    };
    let resident = [warm, end].map(|part| median(part, |sample| sample.resident));
    let files = [warm, end].map(|part| median(part, |sample| sample.files as u64));
    if resident[1] > resident[0] + resident[0] / 10 + SLACK {
        return Some(format!(
            "resident memory grew from {} to {}",
            resident[0], resident[1]
        ));
    }
    if files[1] > files[0] + files[0] / 8 + 2 {
        return Some(format!("open files grew from {} to {}", files[0], files[1]));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of 20 s at a thousand operations a second, with so many bytes lost for each operation, and so many files for five hundred.
    fn run(bytes: u64, files: usize) -> Vec<Sample> {
        let at = |n: u64| Sample {
            resident: (12 << 20) + (n.min(6) << 20) + n * 500 * bytes + (n % 3) * 100_000,
            files: 20 + usize::from(n.is_multiple_of(2)) + usize::try_from(n).unwrap() * files,
            operations: n * 500,
        };
        (0..40).map(at).collect()
    }

    #[test]
    fn a_leak_of_a_kilobyte_for_each_operation_is_seen_in_a_short_run() {
        assert_eq!(growth(&run(0, 0)), None);
        assert!(growth(&run(1_024, 0)).is_some());
        assert!(growth(&run(0, 1)).is_some());
    }
}
