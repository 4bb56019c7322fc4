//! `sojournd sessions`: which sessions the cluster has, and an end to some. Asks the daemon of this pod.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, IntoConnectionInfo as _, RedisError, RedisResult,
};
use thiserror::Error;

/// A shard whose store is away is waited for as any request waits for it.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why it went no further.
#[derive(Debug, Error)]
pub enum SessionsError {
    /// The daemon cannot be asked, or has no answer.
    #[error("no answer that says which sessions there are: {0}")]
    Daemon(#[from] RedisError),
    /// Nobody reads what is printed.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The daemon could not end some; all others it has.
    #[error("not ended, to be tried again: {}", .0.join("; "))]
    Kept(Vec<String>),
}

/// Which sessions are meant; without anything all.
#[derive(Debug, Clone, Default)]
pub struct Which {
    /// Who is logged in.
    pub user: Option<String>,
    /// The web application's context path as the container has it, empty for the root.
    pub context: Option<String>,
}

/// A session as the daemon tells it: digest, context, user, created, accessed, idle, bytes, attributes.
type Told = (
    String,
    Option<String>,
    Option<String>,
    u64,
    u64,
    i64,
    u64,
    u64,
);

/// Lists the sessions that are meant, each with its end where `end`.
pub async fn run(
    socket: &Path,
    which: &Which,
    end: bool,
    output: &mut impl Write,
) -> Result<(), SessionsError> {
    let mut daemon = connect(socket).await?;
    writeln!(output, "{}", heading(end))?;
    let (mut meant, mut ended, mut kept) = (0_u64, 0_u64, Vec::new());
    for shard in 0..=u8::MAX {
        let sessions: Vec<Told> = redis::cmd("SJ.SESSIONS")
            .arg(shard)
            .query_async(&mut daemon)
            .await?;
        for session in sessions.iter().filter(|session| which.means(session)) {
            let outcome = if end {
                match expire(&mut daemon, &session.0).await? {
                    Ok(true) => "ended",
                    Ok(false) => "gone",
                    Err(why) => {
                        let why = why.detail().unwrap_or("no reason was given");
                        kept.push(format!("{}: {why}", short(&session.0)));
                        "kept"
                    }
                }
            } else {
                ""
            };
            ended += u64::from(outcome == "ended");
            meant += 1;
            writeln!(output, "{}", line(session, now(), outcome))?;
        }
    }
    if !end {
        writeln!(output, "{meant} sessions")?;
        return Ok(());
    }
    writeln!(output, "{meant} sessions, {ended} ended")?;
    if kept.is_empty() {
        return Ok(());
    }
    Err(SessionsError::Kept(kept))
}

/// Whether there was one to end, or why it is there still: one that cannot be ended now keeps nobody from the others.
async fn expire(
    daemon: &mut MultiplexedConnection,
    id: &str,
) -> RedisResult<Result<bool, RedisError>> {
    match redis::cmd("SJ.EXPIRE").arg(id).query_async(daemon).await {
        Ok(done) => Ok(Ok(done)),
        Err(refused) if refused.code() == Some("UNAVAILABLE") => Ok(Err(refused)),
        Err(error) => Err(error),
    }
}

async fn connect(socket: &Path) -> RedisResult<MultiplexedConnection> {
    let client = Client::open(ConnectionAddr::Unix(socket.to_owned()).into_connection_info()?)?;
    let settings = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
    client
        .get_multiplexed_async_connection_with_config(&settings)
        .await
}

impl Which {
    fn means(&self, (_, context, user, ..): &Told) -> bool {
        let by_user = self.user.is_none() || self.user == *user;
        by_user && (self.context.is_none() || self.context == *context)
    }
}

fn heading(end: bool) -> String {
    let heading = columns([
        "SESSION",
        "USER",
        "CONTEXT",
        "AGE",
        "UNUSED",
        "TIME-OUT",
        "BYTES",
        "ATTRIBUTES",
    ]);
    format!("{heading}{}", if end { " END" } else { "" })
}

/// What is not known is a dash. Nothing but printable characters: a user's name may be anything.
fn line(session: &Told, now: u64, outcome: &str) -> String {
    let (id, context, user, created, accessed, idle, bytes, attributes) = session;
    let idle = u64::try_from(*idle).map_or_else(|_| "never".to_owned(), span);
    let context = context
        .as_deref()
        .map(|path| if path.is_empty() { "/" } else { path });
    let since = |time: u64| span(now.saturating_sub(time) / 1000);
    let line = columns([
        short(id),
        &printable(user.as_deref()),
        &printable(context),
        &since(*created),
        &since(*accessed),
        &idle,
        &bytes.to_string(),
        &attributes.to_string(),
    ]);
    format!("{line} {outcome}").trim_end().to_owned()
}

/// As it is shown.
fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

fn columns([id, user, context, age, unused, idle, bytes, attributes]: [&str; 8]) -> String {
    format!(
        "{id:12} {user:20} {context:16} {age:>6} {unused:>6} {idle:>8} {bytes:>9} {attributes:>10}"
    )
}

fn printable(text: Option<&str>) -> String {
    text.map_or_else(
        || "-".to_owned(),
        |text| text.escape_debug().collect::<String>(),
    )
}

/// As `kubectl` does: the largest unit in which it is at least two.
fn span(seconds: u64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "m")];
    let fits = units.iter().find(|(unit, _)| seconds >= 2 * unit);
    fits.map_or_else(
        || format!("{seconds}s"),
        |(unit, name)| format!("{}{name}", seconds / unit),
    )
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis().try_into().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(context: Option<&str>, user: Option<&str>) -> Told {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let id = "0123456789abcdef0123456789abcdef01234567".to_owned();
        (
            id,
            text(context),
            text(user),
            1_000,
            60_000,
            1_800,
            2_048,
            3,
        )
    }

    #[test]
    fn a_user_and_a_context_may_be_meant_and_the_root_is_a_context() {
        let which = |user: Option<&str>, context: Option<&str>| Which {
            user: user.map(str::to_owned),
            context: context.map(str::to_owned),
        };
        let ann = told(Some("/shop"), Some("ann"));
        assert!(which(None, None).means(&ann));
        assert!(which(Some("ann"), Some("/shop")).means(&ann));
        assert!(!which(Some("an"), None).means(&ann));
        assert!(!which(Some("ann"), Some("")).means(&ann));
        assert!(which(None, Some("")).means(&told(Some(""), None)));
        assert!(!which(None, Some("")).means(&told(None, None)));
        assert!(!which(Some("ann"), None).means(&told(Some(""), None)));
    }

    #[test]
    fn a_line_says_what_is_known_and_cannot_be_two() {
        assert_eq!(
            line(&told(Some(""), Some("ann\n\u{1b}[1m")), 7_261_000, "ended"),
            r"0123456789ab ann\n\u{1b}[1m       /                    2h     2h      30m      2048          3 ended"
        );
        assert_eq!(
            line(&told(None, None), 100_000, ""),
            "0123456789ab -                    -                   99s    40s      30m      2048          3"
        );
    }
}
