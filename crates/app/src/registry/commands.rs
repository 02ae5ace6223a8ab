//! Commands for base stations: messages and video requests, which devices fetch by long polling.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use domain::{BaseStationId, BrandId, ClipId, Invalid, Message, Serial, VideoClip, encode_hex};
use sha2::{Digest, Sha256};
use store::{Scope, Tx};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::{App, Error, Reporter, ReporterKind};

/// Maximum number of commands of each kind in one response.
const MAX_COMMANDS: i64 = 100;
/// Interval at which a waiting request looks for commands that other processes have created.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The commands that wait for a station, or for all stations of a gateway's brand.
#[derive(Clone, Debug)]
pub struct Commands {
    /// Messages to display.
    pub messages: Vec<Message>,
    /// Video clips to upload.
    pub clips: Vec<VideoClip>,
}

impl Commands {
    /// Returns a short text that differs when the commands differ.
    pub fn version(&self) -> String {
        let mut hash = Sha256::new();
        for message in &self.messages {
            hash.update(format!("m{}", message.id));
        }
        for clip in &self.clips {
            hash.update(format!("c{}", clip.id));
        }
        encode_hex(&hash.finalize()[..8])
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.clips.is_empty()
    }
}

/// Notification channels of the brands whose devices wait in this process. A channel ends with its last subscriber.
#[derive(Default)]
pub(crate) struct CommandNotifier(Mutex<HashMap<BrandId, Weak<watch::Sender<()>>>>);

/// A subscription to the commands of a brand. It is notified of all commands created after it was taken out.
struct CommandSubscription {
    changes: watch::Receiver<()>,
    _sender: Arc<watch::Sender<()>>,
}

impl CommandNotifier {
    fn subscribe(&self, brand: BrandId) -> CommandSubscription {
        let mut senders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = senders.get(&brand).and_then(Weak::upgrade).unwrap_or_else(|| {
            senders.retain(|_, sender| sender.strong_count() > 0);
            let sender = Arc::new(watch::Sender::new(()));
            senders.insert(brand, Arc::downgrade(&sender));
            sender
        });
        CommandSubscription { changes: sender.subscribe(), _sender: sender }
    }

    fn notify(&self, brand: BrandId) {
        let senders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = senders.get(&brand).and_then(Weak::upgrade) {
            sender.send_replace(());
        }
    }
}

#[macros::boxed]
impl App {
    /// Wakes the brand's devices that wait in this process, once the transaction is committed.
    pub(crate) fn notify_devices_after_commit(&self, tx: &mut Tx, scope: &Scope) {
        let (notifier, brand) = (Arc::clone(&self.command_notifier), scope.brand());
        tx.after_commit(move || notifier.notify(brand));
    }

    /// Returns the commands that wait for a device. If there are none, or they are those of `known_version`, the call waits for at most
    /// `wait` or until `stop` is done. It holds no connection between two polls.
    pub async fn fetch_commands(
        &self,
        reporter: &Reporter,
        station: Option<&Serial>,
        known_version: Option<&str>,
        wait: Duration,
        stop: impl Future<Output = ()>,
    ) -> Result<Commands, Error> {
        let station = self.resolve_station(reporter, station).await?;
        let until = Instant::now() + wait;
        let mut subscription = self.command_notifier.subscribe(reporter.scope.brand());
        let mut stop = std::pin::pin!(stop);
        loop {
            // Marked before the query, so that a command created during it is not missed.
            subscription.changes.mark_unchanged();
            let found = self.pending_commands(reporter, station).await?;
            let has_changed = match known_version {
                Some(known) => found.version() != known,
                None => !found.is_empty(),
            };
            if has_changed || Instant::now() >= until {
                return self.mark_fetched(reporter, found).await;
            }
            let next = until.min(Instant::now() + POLL_INTERVAL);
            tokio::select! {
                () = &mut stop => return self.mark_fetched(reporter, found).await,
                _ = timeout_at(next, subscription.changes.changed()) => {}
            }
        }
    }

    /// Resolves the station whose commands are fetched: a station's own, or the one that a gateway names, if any.
    async fn resolve_station(
        &self,
        reporter: &Reporter,
        named: Option<&Serial>,
    ) -> Result<Option<BaseStationId>, Error> {
        let named = match named {
            Some(serial) => {
                let mut tx = self.store.read().await?;
                let found = tx.base_stations(&reporter.scope).id_of_serial(serial).await?;
                Some(found.ok_or_else(unknown_station)?)
            }
            None => None,
        };
        match (reporter.kind, named) {
            (ReporterKind::Station(own), Some(named)) if named != own => Err(unknown_station()),
            (ReporterKind::Station(own), _) => Ok(Some(own)),
            (ReporterKind::Gateway(_), named) => Ok(named),
        }
    }

    async fn pending_commands(
        &self,
        reporter: &Reporter,
        station: Option<BaseStationId>,
    ) -> Result<Commands, Error> {
        let (now, scope) = (self.clock.now(), &reporter.scope);
        let mut tx = self.store.read().await?;
        let messages = tx.messages(scope).pending(station, now, MAX_COMMANDS).await?;
        let clips = tx.video_clips(scope).pending(station, now, MAX_COMMANDS).await?;
        Ok(Commands { messages, clips })
    }

    /// Records that stations have fetched the video requests.
    async fn mark_fetched(&self, reporter: &Reporter, found: Commands) -> Result<Commands, Error> {
        let unfetched = found.clips.iter().filter(|clip| clip.fetched_at.is_none());
        let unfetched: Vec<ClipId> = unfetched.map(|clip| clip.id).collect();
        if !unfetched.is_empty() {
            let mut tx = self.store.begin().await?;
            tx.video_clips(&reporter.scope).mark_fetched(&unfetched, self.clock.now()).await?;
            tx.commit().await?;
        }
        Ok(found)
    }
}

fn unknown_station() -> Error {
    let invalid = Invalid::new("unknown_base_station", "is not a base station that this token may act for");
    Error::bad_parameter("base_station", invalid)
}
