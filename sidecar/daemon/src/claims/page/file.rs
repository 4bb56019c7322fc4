//! The page's file: made with all its bytes, and removed.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// How the names of all pages begin. What follows is random: a client never takes one daemon's page for another's.
const PREFIX: &str = "claims-";

/// What could not be made, and why.
pub(super) type Failed = (PathBuf, io::Error);

#[derive(Debug)]
pub(super) struct PageFile {
    name: String,
    path: PathBuf,
}

impl PageFile {
    /// Makes a file of zeros.
    pub(super) fn create(directory: &Path, bytes: usize) -> Result<(Self, File), Failed> {
        remove_all(directory);
        let name = format!("{PREFIX}{:016x}", fastrand::u64(..));
        let path = directory.join(&name);
        match fill(&path, bytes) {
            Ok(file) => Ok((Self { name, path }, file)),
            Err(error) => {
                // Half a page takes room that somebody needs.
                let _ = std::fs::remove_file(&path);
                Err((path, error))
            }
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn remove(&self) {
        // The next daemon would remove it too.
        let _ = std::fs::remove_file(&self.path);
    }

    pub(super) fn failed(&self, error: io::Error) -> Failed {
        self.remove();
        (self.path.clone(), error)
    }
}

fn fill(path: &Path, bytes: usize) -> io::Result<File> {
    // Readers may be any user; nobody but us writes, and we have it open already.
    let mode = 0o444;
    let mut options = OpenOptions::new();
    let mut file = options
        .read(true)
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    // Written out, not left sparse: on a disk that is full a hole could not be filled later, and the attempt kills the process.
    file.write_all(&vec![0; bytes])?;
    Ok(file)
}

/// Removes what daemons before left behind. Who has one mapped keeps it.
fn remove_all(directory: &Path) {
    // That of a socket without a directory is this one.
    let here = directory.as_os_str().is_empty();
    let directory = if here { Path::new(".") } else { directory };
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
