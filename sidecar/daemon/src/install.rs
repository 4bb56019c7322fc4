//! Puts the agent where the application's JVM finds it. The image has no shell and no `cp`.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom as _, SystemRandom};
use thiserror::Error;

use crate::config::InstallConfig;
use crate::key::hex;

/// What went wrong, and where.
#[derive(Debug, Error)]
#[error("cannot {what} {path}: {cause}", path = path.display())]
pub struct InstallError {
    what: &'static str,
    path: PathBuf,
    cause: io::Error,
}

/// Copies the agent into `directory`, with settings beside it.
pub fn install(config: &InstallConfig, directory: &Path) -> Result<(), InstallError> {
    fs::create_dir_all(directory).map_err(cannot("write", directory))?;
    let jar = fs::read(&config.agent_jar).map_err(cannot("read", &config.agent_jar))?;
    for (name, bytes) in [
        // The settings first: where the jar is, they are.
        ("sojourn-agent.properties", properties(config).into_bytes()),
        ("sojourn-agent.jar", jar),
    ] {
        let path = directory.join(name);
        write_whole(&path, &bytes).map_err(cannot("write", &path))?;
    }
    Ok(())
}

/// Writes a new token beside the agent. Loopback is open to all containers of a pod, and this folder to those that have a session to keep.
pub fn draw_token(directory: &Path) -> Result<PathBuf, InstallError> {
    let path = directory.join("token");
    let write = || {
        let mut drawn = [0; 32];
        SystemRandom::new()
            .fill(&mut drawn)
            .map_err(|_| io::Error::other("no random bytes"))?;
        fs::create_dir_all(directory)?;
        write_whole(&path, hex(&drawn).as_bytes())
    };
    write().map_err(cannot("write", &path))?;
    Ok(path)
}

fn cannot(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError {
    let path = path.to_owned();
    move |cause| InstallError { what, path, cause }
}

fn properties(config: &InstallConfig) -> String {
    let socket = format!("socket={}\n", config.socket.display());
    let tcp = config.tcp.map(|tcp| format!("tcp={tcp}\n"));
    let token = config
        .token_file
        .as_ref()
        .map(|file| format!("tokenFile={}\n", file.display()));
    // The agent knows its own settings, and says what it does not understand.
    let own = config
        .agent_settings
        .as_ref()
        .map(|lines| format!("{}\n", lines.trim_end()));
    [Some(socket), tcp, token, own]
        .into_iter()
        .flatten()
        .collect()
}

/// A reader sees the old file or the new one, never half of one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.tmp"));
    fs::write(&draft, bytes)?;
    // Whatever the umask: the application's user is another one.
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o644))?;
    fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jar_and_its_settings_are_readable_by_everybody() {
        let directory = tempfile::tempdir().unwrap();
        let agent_jar = directory.path().join("image.jar");
        fs::write(&agent_jar, b"jar").unwrap();
        let config = InstallConfig {
            socket: "/sojourn/run/sojourn.sock".into(),
            tcp: Some("127.0.0.1:7000".parse().unwrap()),
            token_file: Some("/sojourn/agent/token".into()),
            agent_jar,
            agent_settings: Some("concurrency=exclusive\ngroup=a.*,b\n".into()),
        };
        let to = directory.path().join("agent");
        install(&config, &to).unwrap();
        install(&config, &to).unwrap();
        let jar = to.join("sojourn-agent.jar");
        assert_eq!(fs::read(&jar).unwrap(), b"jar");
        assert_eq!(
            fs::metadata(&jar).unwrap().permissions().mode() & 0o777,
            0o644
        );
        assert_eq!(
            fs::read_to_string(to.join("sojourn-agent.properties")).unwrap(),
            "socket=/sojourn/run/sojourn.sock\ntcp=127.0.0.1:7000\ntokenFile=/sojourn/agent/token\n\
             concurrency=exclusive\ngroup=a.*,b\n"
        );
        assert_eq!(fs::read_dir(&to).unwrap().count(), 2);
    }

    #[test]
    fn a_missing_jar_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let config = InstallConfig {
            socket: "s".into(),
            tcp: None,
            token_file: None,
            agent_jar: directory.path().join("no.jar"),
            agent_settings: None,
        };
        let error = install(&config, directory.path()).unwrap_err().to_string();
        assert!(error.starts_with("cannot read"), "{error}");
        assert!(error.contains("no.jar"), "{error}");
    }
}
