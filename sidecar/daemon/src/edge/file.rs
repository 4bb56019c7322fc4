//! A file of Envoy's. It watches the directory for renames.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::install::write_whole;

#[derive(Debug)]
pub(super) struct WatchedFile {
    path: PathBuf,
    /// What is in the file, if it was written by us.
    content: Option<String>,
}

impl WatchedFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            content: None,
        }
    }

    /// Whether there is one, ours or an older one.
    pub(super) fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// Writes a first file if there is none: Envoy refuses to start without. One that is there is older, but better.
    pub(super) fn ensure(&mut self, content: &str) -> io::Result<()> {
        if self.is_there() {
            Ok(())
        } else {
            self.write(content).map(drop)
        }
    }

    /// Writes the file unless this is in it already, by a rename in its directory; whether it did.
    pub(super) fn write(&mut self, content: &str) -> io::Result<bool> {
        let changed = self.content.as_deref() != Some(content);
        if changed {
            if let Some(directory) = self.path.parent() {
                fs::create_dir_all(directory)?;
            }
            write_whole(&self.path, content.as_bytes())?;
            self.content = Some(content.to_owned());
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_stays_until_there_is_a_better_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("xds/eds.json");
        WatchedFile::new(path.clone()).ensure("empty").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "empty");
        let mut file = WatchedFile::new(path.clone());
        file.write("pods").unwrap();
        WatchedFile::new(path.clone()).ensure("empty").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "pods");
    }

    #[test]
    fn the_same_content_is_not_written_again() {
        use std::os::unix::fs::MetadataExt as _;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("eds.json");
        let mut file = WatchedFile::new(path.clone());
        file.write("pods").unwrap();
        let inode = fs::metadata(&path).unwrap().ino();
        file.write("pods").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
        file.write("other").unwrap();
        assert_ne!(fs::metadata(&path).unwrap().ino(), inode);
    }
}
