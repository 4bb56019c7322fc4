//! Looks settings up and gathers what is wrong with them.

use std::collections::BTreeMap;
use std::fmt;

use super::Sources;

/// Keys in the file; in the environment they are upper-case, with `SOJOURN_` in front and `_` for `.`.
pub(super) const KEYS: &[&str] = &[
    "cluster",
    "mode",
    "socket",
    "tcp",
    "token_file",
    "http",
    "memory",
    "max_session",
    "queue",
    "compress_above",
    "install_agent",
    "seal_key_file",
    "limits_file",
    "background_rate",
    "session_rate",
    "reap_every",
    "agent_jar",
    "agent_settings",
    "log",
    "store.url",
    "store.username_file",
    "store.password_file",
    "store.ca_file",
    "store.sentinel_username_file",
    "store.sentinel_password_file",
    "store.replicas_ack",
    "store.username",
    "store.password",
    "store.patience",
    "store.outage",
    "store.in_use",
    "store.settle",
    "store.next.url",
    "store.next.username_file",
    "store.next.password_file",
    "store.next.ca_file",
    "store.next.sentinel_username_file",
    "store.next.sentinel_password_file",
    "store.next.replicas_ack",
    "store.next.username",
    "store.next.password",
    "store.previous.url",
    "store.previous.username_file",
    "store.previous.password_file",
    "store.previous.ca_file",
    "store.previous.sentinel_username_file",
    "store.previous.sentinel_password_file",
    "store.previous.replicas_ack",
    "store.previous.username",
    "store.previous.password",
    "edge.namespace",
    "edge.selector",
    "edge.port",
    "edge.sidecar_port",
    "edge.out",
    "edge.cluster",
    "edge.drain",
    "edge.config_map",
    "edge.routes",
    "edge.admin",
    "edge.health_check_path",
];

/// One wrong setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem(String);

/// Everything that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Problem(text) in &self.0 {
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// What a parser gives: the value, or how to write it right.
pub(super) type Parsed<T> = Result<T, String>;

pub(super) struct Reader {
    values: BTreeMap<String, String>,
    problems: Vec<Problem>,
}

impl Reader {
    pub(super) fn new(sources: &Sources) -> Self {
        let mut reader = Self {
            values: BTreeMap::new(),
            problems: Vec::new(),
        };
        if let Some(file) = &sources.file {
            match file.parse::<toml::Table>() {
                Ok(table) => reader.flatten("", &table),
                Err(error) => reader.problem(format!("the file is no TOML: {}", error.message())),
            }
        }
        for &key in KEYS {
            if let Some(value) = sources
                .environment
                .get(&in_environment(key))
                .filter(|value| !value.is_empty())
            {
                reader.values.insert(key.into(), value.clone());
            }
        }
        reader
    }

    fn flatten(&mut self, prefix: &str, table: &toml::Table) {
        for (key, value) in table {
            let key = format!("{prefix}{key}");
            let text = match value {
                toml::Value::Table(table) => {
                    self.flatten(&format!("{key}."), table);
                    continue;
                }
                toml::Value::String(text) => text.clone(),
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Boolean(switch) => switch.to_string(),
                other => format!("{other:?}"),
            };
            if KEYS.contains(&key.as_str()) {
                // What is empty is not set, as in the environment.
                if !text.is_empty() {
                    self.values.insert(key, text);
                }
            } else {
                self.problem(format!(
                    "{key} = {text:?}: no such key; the README lists all"
                ));
            }
        }
    }

    pub(super) fn optional<T>(&mut self, key: &str, parse: fn(&str) -> Parsed<T>) -> Option<T> {
        let value = self.values.get(key)?;
        match parse(value) {
            Ok(value) => Some(value),
            Err(mend) => {
                // A password in a log is out for good.
                let value = if key.contains("password") || value.contains('@') {
                    "..."
                } else {
                    value
                };
                let text = format!("{} ({key}) = {value:?}: {mend}", in_environment(key));
                self.problem(text);
                None
            }
        }
    }

    pub(super) fn with_default<T>(
        &mut self,
        key: &str,
        parse: fn(&str) -> Parsed<T>,
        default: T,
    ) -> T {
        self.optional(key, parse).unwrap_or(default)
    }

    /// A setting without which nothing goes on. The default stands in until [`Reader::finish`] refuses.
    pub(super) fn required<T: Default>(&mut self, key: &str, parse: fn(&str) -> Parsed<T>) -> T {
        if !self.values.contains_key(key) {
            self.problem(format!(
                "{} ({key}) is not set, and it has no default",
                in_environment(key)
            ));
        }
        self.optional(key, parse).unwrap_or_default()
    }

    pub(super) fn finish<T>(self, config: T) -> Result<T, Problems> {
        if self.problems.is_empty() {
            Ok(config)
        } else {
            Err(Problems(self.problems))
        }
    }

    /// Whether anything is set below a key.
    pub(super) fn has_any(&self, prefix: &str) -> bool {
        self.values.keys().any(|key| key.starts_with(prefix))
    }

    pub(super) fn problem(&mut self, text: String) {
        self.problems.push(Problem(text));
    }
}

pub(super) fn in_environment(key: &str) -> String {
    format!("SOJOURN_{}", key.to_ascii_uppercase().replace('.', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the other store it says that each setting is as the main one's.
    #[test]
    fn the_readme_has_every_setting() {
        let readme = include_str!("../../README.md");
        let of_another = |key: &str| {
            ["store.next.", "store.previous."]
                .into_iter()
                .any(|at| key.starts_with(at))
        };
        for key in KEYS.iter().filter(|key| !of_another(key)) {
            let name = in_environment(key);
            let short = name.trim_start_matches("SOJOURN_STORE");
            let written = [format!("`{name}`"), format!("`{short}`")];
            let has = written.iter().any(|written| readme.contains(written));
            assert!(has, "{name} is not in README.md");
        }
    }
}
