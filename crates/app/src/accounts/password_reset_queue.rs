//! Requests for a new password, between their answer and their look-up.
//!
//! A request is answered before anyone looks whether there is such an account, so that neither the answer nor its time tells. What
//! was typed waits in memory, in bounded room, and is in no row at any time: strangers cannot grow what is kept. The price is
//! that a process that is killed forgets requests it has just answered; whoever gets no mail asks again.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use domain::Email;
use store::{Grant, Holder, Principal, Shares, Tenant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::{App, Error, Kind};

/// How many requests wait in this process.
const ROOM: usize = 1_024;
/// How many of them come from one address. Not less than the default of `limits.login`, so that no address can measure how fast
/// its own requests are worked off.
const ROOM_PER_ADDRESS: usize = 32;
/// How long to wait before a request is tried again for which the store was not there. After the last one it is given up.
const RETRIES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

/// Who asked: a tenant's principal, or none in tests of use cases.
type Asker = Option<(Tenant, Principal)>;

/// The requests that wait in this process.
pub(crate) struct PasswordResetQueue {
    sender: Mutex<Option<mpsc::UnboundedSender<Entry>>>,
    /// What may be held in memory; the queue itself needs no other bound.
    room: Shares<Asker>,
}

enum Entry {
    Request {
        email: Email,
        asker: Asker,
        room: Grant<Asker>,
    },
    /// Answered once everything before it has been worked off.
    Flush(oneshot::Sender<()>),
}

impl Default for PasswordResetQueue {
    fn default() -> Self {
        Self { sender: Mutex::default(), room: Shares::new(ROOM, ROOM_PER_ADDRESS) }
    }
}

impl App {
    /// Takes a request in, on behalf of the current holder. It is the same work for every email.
    pub fn request_password_reset(self: &Arc<Self>, email: Email) -> Result<(), Error> {
        let asker = Holder::current().map(|holder| (holder.tenant(), holder.principal()));
        let room = self.password_resets.room.try_take(asker, 1).ok_or_else(|| {
            let detail = "Too many requests for new passwords are waiting; try again in a moment.";
            Error::new(Kind::Unavailable, "too_busy", detail).retry_after(5)
        })?;
        self.push_password_reset(Entry::Request { email, asker, room });
        Ok(())
    }

    /// Done when all requests that were taken in before have been worked off.
    pub async fn password_resets_worked_off(self: &Arc<Self>) {
        let (done, waited) = oneshot::channel();
        self.push_password_reset(Entry::Flush(done));
        let _ = waited.await;
    }

    fn push_password_reset(self: &Arc<Self>, entry: Entry) {
        let mut sender = self.password_resets.sender.lock().unwrap_or_else(PoisonError::into_inner);
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
        tokio::spawn(work_off(Arc::downgrade(self), entries));
        *sender = Some(queue);
    }
}

/// Works off requests beside each other: one that waits for a brand which is busy holds up no other. How many there are is bounded by
/// their room, and what they take of the store by its shares.
async fn work_off(app: Weak<App>, mut entries: mpsc::UnboundedReceiver<Entry>) {
    let mut under_way = JoinSet::new();
    while let Some(entry) = entries.recv().await {
        while under_way.try_join_next().is_some() {}
        let Some(app) = app.upgrade() else { return };
        match entry {
            Entry::Request { email, asker, room } => {
                under_way.spawn(async move {
                    answer(&app, &email, asker).await;
                    drop(room);
                });
            }
            Entry::Flush(done) => {
                drop(app);
                while under_way.join_next().await.is_some() {}
                let _ = done.send(());
            }
        }
    }
}

async fn answer(app: &App, email: &Email, asker: Asker) {
    let mut retries = RETRIES.into_iter();
    loop {
        let work = app.answer_password_reset(email);
        let answered = match asker {
            Some((tenant, principal)) => Holder::new(tenant, principal).run(work).await,
            None => work.await,
        };
        let error = match answered {
            Ok(()) => return,
            Err(error) => error,
        };
        // Never with what was typed.
        match retries.next().filter(|_| error.kind == Kind::Unavailable) {
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
