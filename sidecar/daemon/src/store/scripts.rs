//! The scripts that run in the store. Each touches one key and nothing else.

/// A script, known to the store by its digest.
#[derive(Debug)]
pub(super) struct Script {
    /// Its name in metrics.
    pub(super) name: &'static str,
    /// What `EVAL` takes.
    pub(super) text: String,
    /// What `EVALSHA` takes.
    pub(super) digest: String,
}

impl Script {
    fn new(name: &'static str, body: &str) -> Self {
        let text = format!("{}{body}", include_str!("scripts/prelude.lua"));
        let digest = redis::Script::new(&text).get_hash().to_owned();
        Self { name, text, digest }
    }
}

/// All scripts.
#[derive(Debug)]
pub(super) struct Scripts {
    /// Asks what changed, counts as an access.
    pub(super) open: Script,
    /// Puts a session where there is none.
    pub(super) create: Script,
    /// Adds a commit.
    pub(super) commit: Script,
    /// Starts the idle time anew.
    pub(super) touch: Script,
    /// Leaves a tombstone.
    pub(super) end: Script,
}

impl Scripts {
    /// Reads the scripts and computes their digests.
    pub(super) fn new() -> Self {
        Self {
            open: Script::new("open", include_str!("scripts/open.lua")),
            create: Script::new("create", include_str!("scripts/create.lua")),
            commit: Script::new("commit", include_str!("scripts/commit.lua")),
            touch: Script::new("touch", include_str!("scripts/touch.lua")),
            end: Script::new("end", include_str!("scripts/end.lua")),
        }
    }
}

impl Default for Scripts {
    fn default() -> Self {
        Self::new()
    }
}
