//! Requests for a new password, between their answer and their look-up.
//!
//! A request is answered before anyone looks whether there is such an account, so that neither the answer nor its time tells. What
//! was typed waits in memory, in bounded room, and is in no row at any time: strangers cannot grow what is kept. The price is
//! that a process that is killed forgets requests it has just answered; whoever gets no mail asks again.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use domain::EmailAddress;
use store::{Grant, Principal, Shares, TaskOwner, Tenant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::{App, Error, ErrorKind};

/// How many requests wait in this process.
const QUEUE_CAPACITY: usize = 1_024;
/// How many of them come from one address. Not less than the default of `limits.login_per_minute`, so that no address can measure how fast
/// its own requests are worked off.
const QUEUE_CAPACITY_PER_ADDRESS: usize = 32;
/// How long to wait before a request is tried again for which the store was not there. After the last one it is given up.
const RETRY_DELAYS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

/// Who asked: a tenant's principal, or none in tests of use cases.
type Requester = Option<(Tenant, Principal)>;

/// The requests that wait in this process.
pub(crate) struct PasswordResetQueue {
    sender: Mutex<Option<mpsc::UnboundedSender<Entry>>>,
    /// What may be held in memory; the queue itself needs no other bound.
    slots: Shares<Requester>,
}

enum Entry {
    Request {
        email: EmailAddress,
        requester: Requester,
        slot: Grant<Requester>,
    },
    /// Answered once everything before it has been worked off.
    Flush(oneshot::Sender<()>),
}

impl Default for PasswordResetQueue {
    fn default() -> Self {
        Self { sender: Mutex::default(), slots: Shares::new(QUEUE_CAPACITY, QUEUE_CAPACITY_PER_ADDRESS) }
    }
}

impl App {
    /// Takes a request in, on behalf of the current holder. It is the same work for every email.
    pub fn request_password_reset(self: &Arc<Self>, email: EmailAddress) -> Result<(), Error> {
        let requester = TaskOwner::current().map(|holder| (holder.tenant(), holder.principal()));
        let slot = self.password_reset_queue.slots.try_acquire(requester, 1).ok_or_else(|| {
            let detail = "Too many requests for new passwords are waiting; try again in a moment.";
            Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(5)
        })?;
        self.push_password_reset(Entry::Request { email, requester, slot });
        Ok(())
    }

    /// Done when all requests that were taken in before have been worked off.
    pub async fn flush_password_resets(self: &Arc<Self>) {
        let (done, waited) = oneshot::channel();
        self.push_password_reset(Entry::Flush(done));
        let _ = waited.await;
    }

    fn push_password_reset(self: &Arc<Self>, entry: Entry) {
        let mut sender = self.password_reset_queue.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match &*sender {
            // It comes back if the task is gone with the runtime it ran on.
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

/// Works off requests beside each other: one that waits for a brand which is busy holds up no other. How many there are is bounded by
/// their room, and what they take of the store by its shares.
async fn process_requests(app: Weak<App>, mut entries: mpsc::UnboundedReceiver<Entry>) {
    let mut in_flight = JoinSet::new();
    while let Some(entry) = entries.recv().await {
        while in_flight.try_join_next().is_some() {}
        let Some(app) = app.upgrade() else { return };
        match entry {
            Entry::Request { email, requester: asker, slot: room } => {
                in_flight.spawn(async move {
                    process_request(&app, &email, asker).await;
                    drop(room);
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
        // Never with what was typed.
        match retries.next().filter(|_| error.kind == ErrorKind::Unavailable) {
            Some(pause) => {
                tracing::warn!("a request for a new password is tried again: {error}");
                tokio::time::sleep(pause).await;
            }
            None => {
                tracing::error!("a request for a new password is given up: {error}");
                return;
            }
        }
    }
}
