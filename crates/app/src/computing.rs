//! Arithmetic that takes a while: on threads of its own, a few at once, of which one tenant has a share.

use std::thread::available_parallelism;
use std::time::Duration;

use store::{Holder, Shares, Tenant};

use crate::{App, Error, Kind};

/// How long a piece of work waits for its turn.
const WAIT: Duration = Duration::from_secs(10);

/// The places for arithmetic: two for each core, of which a tenant has three quarters.
pub(crate) struct Computing(Shares<Option<Tenant>>);

impl Default for Computing {
    fn default() -> Self {
        let places = available_parallelism().map_or(1, usize::from) * 2;
        Self(Shares::new(places, places - (places / 4).max(1)))
    }
}

impl App {
    /// Does some work off the threads that answer requests.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let tenant = Holder::current().map(|holder| holder.tenant());
        let Ok(place) = tokio::time::timeout(WAIT, self.computing.0.take(tenant)).await else {
            let detail = "Too much of your brand's is being computed; ask again in a moment.";
            return Err(Error::new(Kind::Unavailable, "too_busy", detail).retry_after(2));
        };
        let computed = tokio::task::spawn_blocking(move || {
            // Held by the thread, not by the caller, who may go away.
            let _place = place;
            work()
        });
        computed.await.map_err(Error::internal)
    }
}
