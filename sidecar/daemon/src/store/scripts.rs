//! The scripts that run in the store. Each touches one session, and perhaps the index of its shard; one of them several sessions of an index.

/// A script, known to the store by its digest.
#[derive(Debug)]
pub(super) struct Script {
    /// Its name in metrics.
    pub(super) name: &'static str,
    /// What `EVAL` takes.
    pub(super) text: String,
    /// What `EVALSHA` takes.
    pub(super) digest: String,
    /// Somebody is told that it was done, and relies on it.
    pub(super) is_relied_on: bool,
}

impl Script {
    /// On a session: the prelude reads it.
    fn new(name: &'static str, body: &str) -> Self {
        Self::bare(
            name,
            format!("{}{body}", include_str!("scripts/prelude.lua")),
        )
    }

    /// On anything else.
    fn bare(name: &'static str, text: String) -> Self {
        let digest = redis::Script::new(&text).get_hash().to_owned();
        Self {
            name,
            text,
            digest,
            is_relied_on: false,
        }
    }

    /// As a server runs it that knows it.
    pub(super) fn by_digest(&self) -> (&'static str, &str) {
        ("EVALSHA", &self.digest)
    }

    /// As any server runs it, which knows it from then on.
    pub(super) fn whole(&self) -> (&'static str, &str) {
        ("EVAL", &self.text)
    }

    fn relied_on(self) -> Self {
        Self {
            is_relied_on: true,
            ..self
        }
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
    /// Adds a commit of who has claimed the session.
    pub(super) brief: Script,
    /// Tells of an access.
    pub(super) touch: Script,
    /// Lets go of a claim.
    pub(super) release: Script,
    /// Takes claims out that are over.
    pub(super) forget: Script,
    /// Leaves a tombstone.
    pub(super) end: Script,
    /// Lists what may be over.
    pub(super) due: Script,
    /// Puts back and takes out of what may be over what is not.
    pub(super) sift: Script,
    /// Has some of it looked at later.
    pub(super) later: Script,
    /// Marks what is over.
    pub(super) reap: Script,
    /// Reads what is marked, for one who takes it up.
    pub(super) expired: Script,
    /// Looks without opening.
    pub(super) probe: Script,
    /// Lists a shard's sessions.
    pub(super) members: Script,
    /// Reads one whole, without opening.
    pub(super) look: Script,
    /// Has one end as if nobody had used it for too long.
    pub(super) expire: Script,
    /// Puts back what was lost.
    pub(super) refill: Script,
    /// Puts a tombstone back.
    pub(super) bury: Script,
    /// Makes somebody the one who does something.
    pub(super) lease: Script,
    /// Takes a session, for another store.
    pub(super) take: Script,
    /// Leaves word that a session is in another store.
    pub(super) moved: Script,
}

impl Scripts {
    /// Reads the scripts and computes their digests.
    pub(super) fn new() -> Self {
        Self {
            open: Script::new("open", include_str!("scripts/open.lua")),
            create: Script::new("create", include_str!("scripts/create.lua")).relied_on(),
            commit: Script::new("commit", include_str!("scripts/commit.lua")).relied_on(),
            brief: Script::bare("brief", include_str!("scripts/brief.lua").to_owned()).relied_on(),
            touch: Script::new("touch", include_str!("scripts/touch.lua")),
            release: Script::new("release", include_str!("scripts/release.lua")),
            forget: Script::bare("forget", include_str!("scripts/forget.lua").to_owned()),
            end: Script::new("end", include_str!("scripts/end.lua")).relied_on(),
            due: Script::bare("due", include_str!("scripts/due.lua").to_owned()),
            sift: Script::bare("sift", include_str!("scripts/sift.lua").to_owned()),
            later: Script::bare("later", include_str!("scripts/later.lua").to_owned()),
            reap: Script::new("reap", include_str!("scripts/reap.lua")),
            expired: Script::new("expired", include_str!("scripts/expired.lua")),
            probe: Script::new("probe", include_str!("scripts/probe.lua")),
            members: Script::bare("members", include_str!("scripts/members.lua").to_owned()),
            look: Script::new("look", include_str!("scripts/look.lua")),
            expire: Script::new("expire", include_str!("scripts/expire.lua")).relied_on(),
            refill: Script::new("refill", include_str!("scripts/refill.lua")).relied_on(),
            bury: Script::new("bury", include_str!("scripts/bury.lua")).relied_on(),
            lease: Script::bare("lease", include_str!("scripts/lease.lua").to_owned()),
            take: Script::new("take", include_str!("scripts/take.lua")).relied_on(),
            moved: Script::new("moved", include_str!("scripts/moved.lua")).relied_on(),
        }
    }
}

impl Default for Scripts {
    fn default() -> Self {
        Self::new()
    }
}
