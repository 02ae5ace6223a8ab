//! What waits for stations: messages and requests for video, fetched by calls that are held open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use domain::{BaseStationId, BrandId, ClipId, Invalid, Serial};
use sha2::{Digest, Sha256};
use store::{Message, Scope, Tx, VideoClip};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::{App, Error, Reporter, ReporterKind};

/// How many of each kind are handed out at once.
const MAX_COMMANDS: i64 = 100;
/// How often a call that waits looks for what other processes have made.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// What waits for a station, or for those of a gateway's brand.
#[derive(Clone, Debug)]
pub struct Commands {
    /// Texts to show.
    pub messages: Vec<Message>,
    /// Video to send.
    pub clips: Vec<VideoClip>,
}

impl Commands {
    /// A short text that differs when what waits differs.
    pub fn version(&self) -> String {
        let mut hash = Sha256::new();
        for message in &self.messages {
            hash.update(format!("m{}", message.id));
        }
        for clip in &self.clips {
            hash.update(format!("c{}", clip.id));
        }
        hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.clips.is_empty()
    }
}

/// The bells of the brands whose devices wait in this process. A bell goes with its last listener.
#[derive(Default)]
pub(crate) struct CommandNotifier(Mutex<HashMap<BrandId, Weak<watch::Sender<()>>>>);

/// One who waits for a bell. It rings for whatever is made after this was taken.
struct CommandSubscription {
    changes: watch::Receiver<()>,
    _sender: Arc<watch::Sender<()>>,
}

impl CommandNotifier {
    fn subscribe(&self, brand: BrandId) -> CommandSubscription {
        let mut senders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = senders.get(&brand).and_then(Weak::upgrade).unwrap_or_else(|| {
            senders.retain(|_, bell| bell.strong_count() > 0);
            let sender = Arc::new(watch::Sender::new(()));
            senders.insert(brand, Arc::downgrade(&sender));
            sender
        });
        CommandSubscription { changes: sender.subscribe(), _sender: sender }
    }

    fn notify(&self, brand: BrandId) {
        let senders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = senders.get(&brand).and_then(Weak::upgrade) {
            bell.send_replace(());
        }
    }
}

impl App {
    /// Wakes the devices of a brand that wait in this process, once what they wait for is lasting.
    pub(crate) fn notify_devices_after_commit(&self, tx: &mut Tx, scope: &Scope) {
        let (notifier, brand) = (Arc::clone(&self.command_notifier), scope.brand());
        tx.after_commit(move || notifier.notify(brand));
    }

    /// What waits for a device. If that is nothing, or what it says it knows, the call waits for as long as it may, or
    /// until `stop` is done; between two looks it holds no connection.
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
            // Marked before the look: what is made during it is not missed.
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

    /// The station that a device asks for: a station's own, or for a gateway the one it names, if it names one.
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

    /// Remembers that stations have heard of the clips that they are asked for.
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
    let invalid = Invalid::new("unknown_base_station", "is no base station that this token speaks for");
    Error::bad_parameter("base_station", invalid)
}
