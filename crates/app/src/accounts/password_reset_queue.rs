//! The queue of password reset requests that have been answered but not yet processed.
//!
//! A request is answered before the account is looked up, so that neither the response nor its timing reveals whether the account
//! exists. The entered address waits in bounded memory and is never stored, so strangers cannot make the database grow. In return,
//! a process that is killed loses the requests it has just answered; a user who gets no mail repeats the request.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use domain::EmailAddress;
use store::{Grant, Principal, Shares, TaskOwner, Tenant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::{App, Error, ErrorKind};

/// Maximum number of requests that wait in this process.
const QUEUE_CAPACITY: usize = 1_024;
/// Maximum number of requests from one address. It is not less than the default of `limits.login_per_minute`, so that no client can
/// measure how fast its own requests are processed.
const QUEUE_CAPACITY_PER_ADDRESS: usize = 32;
/// Delays before a request is retried while the database is unavailable. After the last retry it is dropped.
const RETRY_DELAYS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

/// The tenant and principal that sent the request; `None` in tests of use cases.
type Requester = Option<(Tenant, Principal)>;

/// The requests that wait in this process.
pub(crate) struct PasswordResetQueue {
    sender: Mutex<Option<mpsc::UnboundedSender<Entry>>>,
    /// Bounds the requests in memory; the channel itself is unbounded.
    slots: Shares<Requester>,
}

enum Entry {
    Request {
        email: EmailAddress,
        requester: Requester,
        slot: Grant<Requester>,
    },
    /// Answered once all entries before it have been processed.
    Flush(oneshot::Sender<()>),
}

impl Default for PasswordResetQueue {
    fn default() -> Self {
        Self { sender: Mutex::default(), slots: Shares::new(QUEUE_CAPACITY, QUEUE_CAPACITY_PER_ADDRESS) }
    }
}

#[macros::boxed]
impl App {
    /// Accepts a request on behalf of the current task owner. The work is the same for every address.
    pub fn request_password_reset(self: &Arc<Self>, email: EmailAddress) -> Result<(), Error> {
        let requester = TaskOwner::current().map(|holder| (holder.tenant(), holder.principal()));
        let slot = self.password_reset_queue.slots.try_acquire(requester, 1).ok_or_else(|| {
            let detail = "Too many requests for new passwords are waiting; try again in a moment.";
            Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(5)
        })?;
        self.push_password_reset(Entry::Request { email, requester, slot });
        Ok(())
    }

    /// Waits until all requests that were accepted before have been processed.
    pub async fn flush_password_resets(self: &Arc<Self>) {
        let (done, waited) = oneshot::channel();
        self.push_password_reset(Entry::Flush(done));
        let _ = waited.await;
    }

    fn push_password_reset(self: &Arc<Self>, entry: Entry) {
        let mut sender = self.password_reset_queue.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match &*sender {
            // The entry is returned if the task ended together with the runtime it ran on.
            Some(queue) => match queue.send(entry) {
                Ok(()) => return,
                Err(mpsc::error::SendError(entry)) => entry,
            },
            None => entry,
        };
        let (queue, entries) = mpsc::unbounded_channel();
        let _ = queue.send(entry);
        // Weak, so that the queue ends with the application.
        tokio::spawn(process_requests(Arc::downgrade(self), entries));
        *sender = Some(queue);
    }
}

/// Processes requests concurrently, so that one that waits for a busy brand does not delay the others. Their number is bounded by
/// the slots, and their use of the database by its fair shares.
async fn process_requests(app: Weak<App>, mut entries: mpsc::UnboundedReceiver<Entry>) {
    let mut in_flight = JoinSet::new();
    while let Some(entry) = entries.recv().await {
        while in_flight.try_join_next().is_some() {}
        let Some(app) = app.upgrade() else { return };
        match entry {
            Entry::Request { email, requester, slot } => {
                in_flight.spawn(async move {
                    process_request(&app, &email, requester).await;
                    drop(slot);
                });
            }
            Entry::Flush(done) => {
                drop(app);
                while in_flight.join_next().await.is_some() {}
                let _ = done.send(());
            }
        }
    }
}

async fn process_request(app: &App, email: &EmailAddress, requester: Requester) {
    let mut retries = RETRY_DELAYS.into_iter();
    loop {
        let work = app.process_password_reset(email);
        let answered = match requester {
            Some((tenant, principal)) => TaskOwner::new(tenant, principal).run(work).await,
            None => work.await,
        };
        let error = match answered {
            Ok(()) => return,
            Err(error) => error,
        };
        // The log never contains the entered address.
        match retries.next().filter(|_| error.kind == ErrorKind::Unavailable) {
            Some(pause) => {
                tracing::warn!("retrying a password reset request: {error}");
                tokio::time::sleep(pause).await;
            }
            None => {
                tracing::error!("giving up on a password reset request: {error}");
                return;
            }
        }
    }
}
