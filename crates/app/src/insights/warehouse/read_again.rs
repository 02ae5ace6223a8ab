//! Reads again what could not be read.

use std::time::Duration;

use tokio::time::sleep;

use crate::Error;

/// A page that could not be read is read again after this while, so often.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(2);
const MAX_FAILURES: usize = 15;

/// Reads a page, and again if that fails, as while another server takes over: whoever gives up begins from the first row.
pub(super) async fn read_again<T, R: Future<Output = Result<T, Error>>>(
    read: impl Fn() -> R,
) -> Result<T, Error> {
    let mut failures = 0;
    loop {
        match read().await {
            Err(error) if failures < MAX_FAILURES => {
                failures += 1;
                tracing::debug!("a page is read again: {error}");
                sleep(READ_AGAIN_AFTER).await;
            }
            outcome => return outcome,
        }
    }
}
