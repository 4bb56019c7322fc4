//! Envoy's routes, and with them its limits: from the `ConfigMap` into a file beside the endpoints.
//!
//! The kubelet brings a changed `ConfigMap` into a mount after a minute or so; a watch brings it at once. The mount is what Envoy
//! begins with, also where the API server cannot be reached.

use std::io;
use std::path::PathBuf;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::watcher::Event;

use super::file::WatchedFile;

/// The key, and the file's name.
const NAME: &str = "rds.yaml";

#[derive(Debug)]
pub(super) struct Routes {
    mounted: PathBuf,
    file: WatchedFile,
    /// What came over the watch last.
    latest: Option<String>,
}

impl Routes {
    /// Into the directory of `endpoints`, from where they are mounted.
    pub(super) fn new(endpoints: &std::path::Path, mounted: PathBuf) -> Self {
        Self {
            mounted,
            file: WatchedFile::new(endpoints.with_file_name(NAME)),
            latest: None,
        }
    }

    /// Those that are mounted, unless there are some already: they came over the watch, and are not older.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        if self.file.is_there() {
            return Ok(());
        }
        let mounted = std::fs::read_to_string(&self.mounted).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.mounted.display()))
        })?;
        self.file.write(&mounted).map(drop)
    }

    /// Whether the file was written. A `ConfigMap` that is deleted takes nothing away.
    pub(super) fn take(&mut self, event: Event<ConfigMap>) -> io::Result<bool> {
        let (Event::Apply(map) | Event::InitApply(map)) = event else {
            return Ok(false);
        };
        match map.data.and_then(|mut data| data.remove(NAME)) {
            Some(routes) => {
                self.latest = Some(routes);
                self.write()
            }
            None => Ok(false),
        }
    }

    /// Writes the latest, if there are any; whether it did. For who could not: the watch tells of each change once.
    pub(super) fn write(&mut self) -> io::Result<bool> {
        let latest = self.latest.as_deref();
        latest.map_or(Ok(false), |latest| self.file.write(latest))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn map(key: &str, routes: &str) -> ConfigMap {
        serde_json::from_value(
            serde_json::json!({"metadata": {"name": "web"}, "data": {key: routes}}),
        )
        .unwrap()
    }

    #[test]
    fn the_mount_is_the_beginning_and_the_watch_goes_on_from_there() {
        let directory = tempfile::tempdir().unwrap();
        let (mounted, out) = (
            directory.path().join("mounted"),
            directory.path().join("rds.yaml"),
        );
        let begin = || Routes::new(&directory.path().join("eds.json"), mounted.clone());
        assert!(begin().begin().unwrap_err().to_string().contains("mounted"));
        fs::write(&mounted, "old").unwrap();
        let mut routes = begin();
        routes.begin().unwrap();
        assert_eq!(fs::read_to_string(&out).unwrap(), "old");
        assert!(routes.take(Event::Apply(map(NAME, "new"))).unwrap());
        assert!(!routes.take(Event::InitApply(map(NAME, "new"))).unwrap());
        assert!(!routes.take(Event::Apply(map("envoy.yaml", "x"))).unwrap());
        assert!(!routes.take(Event::Delete(map(NAME, "gone"))).unwrap());
        assert_eq!(fs::read_to_string(&out).unwrap(), "new");
        begin().begin().unwrap();
        assert_eq!(
            fs::read_to_string(&out).unwrap(),
            "new",
            "newer than the mount"
        );
    }
}
