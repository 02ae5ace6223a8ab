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
const MOST: i64 = 100;
/// How often a call that waits looks for what other processes have made.
const LOOKS: Duration = Duration::from_secs(1);

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
pub(crate) struct Bells(Mutex<HashMap<BrandId, Weak<watch::Sender<()>>>>);

/// One who waits for a bell. It rings for whatever is made after this was taken.
struct Listener {
    heard: watch::Receiver<()>,
    _bell: Arc<watch::Sender<()>>,
}

impl Bells {
    fn listen(&self, brand: BrandId) -> Listener {
        let mut bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bell = bells.get(&brand).and_then(Weak::upgrade).unwrap_or_else(|| {
            bells.retain(|_, bell| bell.strong_count() > 0);
            let bell = Arc::new(watch::Sender::new(()));
            bells.insert(brand, Arc::downgrade(&bell));
            bell
        });
        Listener { heard: bell.subscribe(), _bell: bell }
    }

    fn ring(&self, brand: BrandId) {
        let bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = bells.get(&brand).and_then(Weak::upgrade) {
            bell.send_replace(());
        }
    }
}

impl App {
    /// Wakes the devices of a brand that wait in this process, once what they wait for is lasting.
    pub(crate) fn ring_after_commit(&self, tx: &mut Tx, scope: &Scope) {
        let (bells, brand) = (Arc::clone(&self.bells), scope.brand());
        tx.after_commit(move || bells.ring(brand));
    }

    /// What waits for a device. If that is nothing, or what it says it knows, the call waits for as long as it may, or
    /// until `stop` is done; between two looks it holds no connection.
    pub async fn fetch_commands(
        &self,
        reporter: &Reporter,
        station: Option<&Serial>,
        known: Option<&str>,
        wait: Duration,
        stop: impl Future<Output = ()>,
    ) -> Result<Commands, Error> {
        let station = self.station_of(reporter, station).await?;
        let until = Instant::now() + wait;
        let mut listener = self.bells.listen(reporter.scope.brand());
        let mut stop = std::pin::pin!(stop);
        loop {
            // Marked before the look: what is made during it is not missed.
            listener.heard.mark_unchanged();
            let found = self.waiting_commands(reporter, station).await?;
            let is_news = match known {
                Some(known) => found.version() != known,
                None => !found.is_empty(),
            };
            if is_news || Instant::now() >= until {
                return self.hand_out(reporter, found).await;
            }
            let next = until.min(Instant::now() + LOOKS);
            tokio::select! {
                () = &mut stop => return self.hand_out(reporter, found).await,
                _ = timeout_at(next, listener.heard.changed()) => {}
            }
        }
    }

    /// The station that a device asks for: a station's own, or for a gateway the one it names, if it names one.
    async fn station_of(
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

    async fn waiting_commands(
        &self,
        reporter: &Reporter,
        station: Option<BaseStationId>,
    ) -> Result<Commands, Error> {
        let (now, scope) = (self.clock.now(), &reporter.scope);
        let mut tx = self.store.read().await?;
        let messages = tx.messages(scope).waiting(station, now, MOST).await?;
        let clips = tx.video_clips(scope).waiting(station, now, MOST).await?;
        Ok(Commands { messages, clips })
    }

    /// Remembers that stations have heard of the clips that they are asked for.
    async fn hand_out(&self, reporter: &Reporter, found: Commands) -> Result<Commands, Error> {
        let unheard = found.clips.iter().filter(|clip| clip.fetched_at.is_none());
        let unheard: Vec<ClipId> = unheard.map(|clip| clip.id).collect();
        if !unheard.is_empty() {
            let mut tx = self.store.begin().await?;
            tx.video_clips(&reporter.scope).heard(&unheard, self.clock.now()).await?;
            tx.commit().await?;
        }
        Ok(found)
    }
}

fn unknown_station() -> Error {
    let invalid = Invalid::new("unknown_base_station", "is no base station that this token speaks for");
    Error::bad_parameter("base_station", invalid)
}
