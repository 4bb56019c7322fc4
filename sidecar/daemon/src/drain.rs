//! `sojournd drain`: the sidecar's `preStop`. Tells the daemon, and returns at once.

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(2);

/// Tells the daemon behind `socket` that the pod begins to drain.
pub async fn drain(socket: &Path) -> io::Result<()> {
    let told = async {
        let mut stream = UnixStream::connect(socket).await?;
        stream.write_all(b"*1\r\n$8\r\nSJ.DRAIN\r\n").await?;
        let mut reply = [0; 5];
        stream.read_exact(&mut reply).await?;
        if &reply == b"+OK\r\n" {
            Ok(())
        } else {
            Err(io::Error::other("the daemon refused"))
        }
    };
    timeout(PATIENCE, told)
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}
