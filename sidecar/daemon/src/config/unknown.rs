//! Variables that look like settings and are none.

use super::Sources;
use super::reader::{KEYS, in_environment};

impl Sources {
    /// The names of variables that say nothing to anybody: misspelt, most likely, or of another version. No error, for the environment is not
    /// ours alone: Kubernetes tells every container where the Services of its namespace are, and one may be called `sojourn`.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.environment
            .keys()
            .map(String::as_str)
            .filter(|name| !KEYS.iter().any(|key| in_environment(key) == *name))
            .filter(|name| !self.is_of_a_service(name))
    }

    /// `<SERVICE>_SERVICE_HOST` is there for each, and says what the others begin with.
    fn is_of_a_service(&self, name: &str) -> bool {
        let hosts = self.environment.keys();
        hosts
            .filter_map(|host| host.strip_suffix("_SERVICE_HOST"))
            .filter_map(|service| name.strip_prefix(service))
            .any(|rest| {
                rest == "_PORT" || rest.starts_with("_PORT_") || rest.starts_with("_SERVICE_")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(names: &[&str]) -> Vec<String> {
        let set = |name: &&str| ((*name).to_owned(), "x".to_owned());
        let sources = Sources {
            environment: names.iter().map(set).collect(),
            file: None,
        };
        sources.unknown().map(Into::into).collect()
    }

    #[test]
    fn what_is_misspelt_is_found() {
        let names = [
            "SOJOURN_STORE_URL",
            "SOJOURN_STORE_URLS",
            "SOJOURN_LOG",
            "SOJOURN_PORT",
        ];
        assert_eq!(unknown(&names), ["SOJOURN_PORT", "SOJOURN_STORE_URLS"]);
    }

    #[test]
    fn services_are_none_of_ours() {
        let names = [
            "SOJOURN_PORT",
            "SOJOURN_PORT_443_TCP",
            "SOJOURN_PORT_443_TCP_ADDR",
            "SOJOURN_SERVICE_HOST",
            "SOJOURN_SERVICE_PORT",
            "SOJOURN_SERVICE_PORT_WEBHOOK",
            "SOJOURN_METRICS_PORT",
            "SOJOURN_METRICS_SERVICE_HOST",
            "SOJOURN_METRICS_QUEUE",
        ];
        assert_eq!(unknown(&names), ["SOJOURN_METRICS_QUEUE"]);
    }
}
