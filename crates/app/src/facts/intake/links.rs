//! The links of a brand as the intake last read them: they hold while the brand's `registry_version` stands.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use domain::{
    BaseStationId, MachineId, PersonId, ProjectId, Report, Serial, Span, TagId, TimeZone, Timestamp,
    WorksiteId,
};
use geography::SiteIndex;
use store::{Contact, DatedLink, KeptIncursion, Scope, Tx};

use super::writer::Known;
use super::{Arrival, Speaker};
use crate::Error;

/// The most stations and tags that are kept in memory.
const MOST_KEPT: usize = 200_000;

/// How much later something must have been heard of for it to be worth writing down.
const WORTH_KEEPING: Span = Span::minutes(1);

/// A link that held for some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held<T> {
    pub to: T,
    pub from: Timestamp,
    pub until: Option<Timestamp>,
}

impl<T: Copy> Held<T> {
    /// What held at a moment.
    pub fn at(all: &[Self], at: Timestamp) -> Option<T> {
        all.iter()
            .find(|held| held.from <= at && held.until.is_none_or(|until| at < until))
            .map(|held| held.to)
    }
}

/// What was true of a site from a moment on.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub from: Timestamp,
    pub zone: TimeZone,
    pub project: Option<ProjectId>,
}

/// The links of a brand, as far as they were asked for.
pub(crate) struct Links {
    version: i64,
    stations: HashMap<String, BaseStationId>,
    tags: HashMap<String, TagId>,
    serials: HashMap<TagId, String>,
    pub(super) installations: HashMap<BaseStationId, Vec<Held<MachineId>>>,
    pub(super) wearers: HashMap<TagId, Vec<Held<PersonId>>>,
    pub(super) machine_sites: HashMap<MachineId, Vec<Held<WorksiteId>>>,
    pub(super) terms: HashMap<WorksiteId, Vec<Term>>,
    pub(super) zone: TimeZone,
    pub(super) index: Arc<SiteIndex>,
    heard_of: Heard,
}

/// When stations and tags were last heard of, as far as it was written down.
#[derive(Default)]
pub(super) struct Heard {
    stations: HashMap<BaseStationId, Timestamp>,
    tags: HashMap<TagId, Timestamp>,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            version: 0,
            stations: HashMap::new(),
            tags: HashMap::new(),
            serials: HashMap::new(),
            installations: HashMap::new(),
            wearers: HashMap::new(),
            machine_sites: HashMap::new(),
            terms: HashMap::new(),
            zone: TimeZone::utc(),
            index: Arc::new(SiteIndex::new([])),
            heard_of: Heard::default(),
        }
    }
}

/// What some events speak of.
#[derive(Default)]
pub(crate) struct Wanted {
    pub stations: BTreeSet<String>,
    pub station_ids: BTreeSet<BaseStationId>,
    pub tags: BTreeSet<String>,
    pub tag_ids: BTreeSet<TagId>,
}

impl Wanted {
    pub(super) fn of(arrivals: &[(Speaker, &Arrival)]) -> Self {
        let mut wanted = Self::default();
        for (speaker, arrival) in arrivals {
            if let Some(serial) = &arrival.event.base_station {
                insert(&mut wanted.stations, serial);
            }
            if let Speaker::Station(id) = speaker {
                wanted.station_ids.insert(*id);
            }
            for serial in tags_of(&arrival.event.report) {
                insert(&mut wanted.tags, serial);
            }
        }
        wanted
    }
}

impl Wanted {
    /// What kept incursions speak of.
    pub fn of_rows(rows: &[KeptIncursion]) -> Self {
        let tags = rows.iter().flat_map(|kept| [Some(kept.row.tag), kept.row.operator_tag]).flatten();
        Self::of_ids(rows.iter().map(|kept| kept.row.base_station), tags)
    }

    /// These stations and tags.
    pub fn of_ids(
        stations: impl IntoIterator<Item = BaseStationId>,
        tags: impl IntoIterator<Item = TagId>,
    ) -> Self {
        Self {
            station_ids: stations.into_iter().collect(),
            tag_ids: tags.into_iter().collect(),
            ..Self::default()
        }
    }
}

/// Most events name what another named already, and then nothing has to be copied.
fn insert(keys: &mut BTreeSet<String>, serial: &Serial) {
    let text = serial.as_str();
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        let key = serial.key();
        if !keys.contains(&key) {
            keys.insert(key);
        }
    } else if !keys.contains(text) {
        keys.insert(text.to_owned());
    }
}

/// The tags that a report speaks of.
pub(super) fn tags_of(report: &Report) -> impl Iterator<Item = &Serial> {
    let (first, second) = match report {
        Report::Incursion(incursion) => (Some(&incursion.tag), incursion.operator_tag.as_ref()),
        Report::Runtime(runtime) => (None, runtime.operator_tag.as_ref()),
        Report::TagBattery(battery) => (Some(&battery.tag), None),
        Report::TagTest(test) => (Some(&test.tag), None),
        Report::Gps(_) | Report::Status(_) | Report::Remark(_) | Report::Receipt(_) => (None, None),
    };
    first.into_iter().chain(second)
}

impl Links {
    /// The station with that serial.
    pub fn station(&self, serial: &Serial) -> Option<BaseStationId> {
        find(&self.stations, serial)
    }

    /// The tag with that serial.
    pub fn tag(&self, serial: &Serial) -> Option<TagId> {
        find(&self.tags, serial)
    }

    /// The serial of a tag, folded.
    pub fn serial_of(&self, tag: TagId) -> Option<&str> {
        self.serials.get(&tag).map(String::as_str)
    }

    /// Reads what is missing, and everything anew if the registry moved. Whoever calls holds the brand's lock, so that what is
    /// read is what the lock's holder sees.
    pub async fn bring_up(
        &mut self,
        tx: &mut Tx,
        scope: &Scope,
        version: i64,
        index: Arc<SiteIndex>,
        wanted: &Wanted,
    ) -> Result<(), Error> {
        if self.version != version || self.tags.len() + self.stations.len() > MOST_KEPT {
            let heard_of = std::mem::take(&mut self.heard_of);
            *self = Self { heard_of, ..Self::default() };
            let zone = tx.brand_settings(scope).await?.values.time_zone;
            self.zone = zone;
            for term in tx.fact_links(scope).site_terms().await? {
                let zone = TimeZone::parse(&term.time_zone).unwrap_or_else(|_| self.zone.clone());
                let term_of = Term { from: term.from, zone, project: term.project };
                self.terms.entry(term.worksite).or_default().push(term_of);
            }
        }
        self.index = index;
        self.read_stations(tx, scope, wanted).await?;
        self.read_tags(tx, scope, wanted).await?;
        self.version = version;
        Ok(())
    }

    async fn read_stations(&mut self, tx: &mut Tx, scope: &Scope, wanted: &Wanted) -> Result<(), Error> {
        let keys: Vec<String> =
            wanted.stations.iter().filter(|key| !self.stations.contains_key(*key)).cloned().collect();
        let ids: Vec<_> =
            wanted.station_ids.iter().filter(|id| !self.installations.contains_key(id)).copied().collect();
        let mut found = Vec::new();
        if !keys.is_empty() {
            found = tx.fact_links(scope).stations(&keys).await?;
        }
        if !ids.is_empty() {
            found.extend(tx.fact_links(scope).stations_by_id(&ids).await?);
        }
        let fresh: Vec<_> = found.iter().map(|station| station.id).collect();
        if fresh.is_empty() {
            return Ok(());
        }
        self.stations.extend(found.into_iter().map(|station| (station.key, station.id)));
        let installations = tx.fact_links(scope).installations(&fresh).await?;
        let machines: BTreeSet<MachineId> = installations.iter().map(|link| link.to).collect();
        let machines: Vec<_> =
            machines.into_iter().filter(|machine| !self.machine_sites.contains_key(machine)).collect();
        keep(&mut self.installations, &fresh, installations);
        if !machines.is_empty() {
            let sites = tx.fact_links(scope).machine_sites(&machines).await?;
            keep(&mut self.machine_sites, &machines, sites);
        }
        Ok(())
    }

    /// Reads what is missing of the tags that rows speak of, under the brand's lock: the reports at hand need not name them.
    pub(super) async fn read_missing(
        &mut self,
        tx: &mut Tx,
        scope: &Scope,
        tag_ids: BTreeSet<TagId>,
    ) -> Result<(), Error> {
        self.read_tags(tx, scope, &Wanted { tag_ids, ..Wanted::default() }).await
    }

    async fn read_tags(&mut self, tx: &mut Tx, scope: &Scope, wanted: &Wanted) -> Result<(), Error> {
        let keys: Vec<String> =
            wanted.tags.iter().filter(|key| !self.tags.contains_key(*key)).cloned().collect();
        let ids: Vec<_> =
            wanted.tag_ids.iter().filter(|id| !self.wearers.contains_key(id)).copied().collect();
        let mut found = Vec::new();
        if !keys.is_empty() {
            found = tx.fact_links(scope).tags(&keys).await?;
        }
        if !ids.is_empty() {
            found.extend(tx.fact_links(scope).tags_by_id(&ids).await?);
        }
        let fresh: Vec<_> = found.iter().map(|tag| tag.id).collect();
        if fresh.is_empty() {
            return Ok(());
        }
        let wearers = tx.fact_links(scope).wearers(&fresh).await?;
        keep(&mut self.wearers, &fresh, wearers);
        for tag in found {
            self.serials.insert(tag.id, tag.key.clone());
            self.tags.insert(tag.key, tag.id);
        }
        Ok(())
    }

    /// Registers the tags that nobody knew. That moves the registry, so that everything is read anew afterwards, unless this
    /// transaction fails, and then too.
    pub(super) async fn register_unknown(
        &mut self,
        tx: &mut Tx,
        scope: &Scope,
        known: &[Known<'_>],
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut unknown: BTreeMap<String, &Serial> = BTreeMap::new();
        for event in known {
            for serial in tags_of(&event.arrival.event.report).filter(|serial| self.tag(serial).is_none()) {
                unknown.entry(serial.key()).or_insert(serial);
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let counters = tx.raise_registry_version(scope).await?;
        let serials: Vec<Serial> = unknown.values().map(|serial| (*serial).clone()).collect();
        tx.fact_links(scope).add_tags(&serials, now).await?;
        let wanted = Wanted { tags: unknown.into_keys().collect(), ..Wanted::default() };
        self.read_tags(tx, scope, &wanted).await?;
        self.version = counters.registry_version;
        Ok(())
    }

    /// Writes down that stations and tags were heard of, where that is news worth a row; tells what was written.
    pub(super) async fn heard_of(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        known: &[Known<'_>],
        now: Timestamp,
    ) -> Result<Heard, Error> {
        let mut heard = Heard::default();
        for event in known {
            let at = super::attribution::latest(&event.arrival.event.report).min(now);
            newest(&mut heard.stations, event.station, at);
            for tag in tags_of(&event.arrival.event.report).filter_map(|serial| self.tag(serial)) {
                newest(&mut heard.tags, tag, at);
            }
        }
        let is_news = |before: Option<&Timestamp>, at: Timestamp| {
            before.is_none_or(|before| at > *before + WORTH_KEEPING)
        };
        heard.stations.retain(|id, at| is_news(self.heard_of.stations.get(id), *at));
        heard.tags.retain(|id, at| is_news(self.heard_of.tags.get(id), *at));
        // In one order, so that two processes never wait for each other.
        let stations: BTreeMap<_, _> = heard.stations.iter().map(|(id, at)| (*id, *at)).collect();
        let contact = |(station, at)| Contact { station, at, firmware: None, faults: None };
        let contacts: Vec<Contact<'_>> = stations.into_iter().map(contact).collect();
        tx.base_stations(scope).seen_all(&contacts).await?;
        let tags: BTreeMap<_, _> = heard.tags.iter().map(|(id, at)| (*id, *at)).collect();
        tx.tags(scope).seen(&tags).await?;
        Ok(heard)
    }

    /// Remembers what was written down.
    pub(super) fn remember(&mut self, heard: Heard) {
        self.heard_of.stations.extend(heard.stations);
        self.heard_of.tags.extend(heard.tags);
    }
}

fn newest<K: std::hash::Hash + Eq>(all: &mut HashMap<K, Timestamp>, key: K, at: Timestamp) {
    all.entry(key).and_modify(|before| *before = at.max(*before)).or_insert(at);
}

fn find<T: Copy>(all: &HashMap<String, T>, serial: &Serial) -> Option<T> {
    // Folded already, as most are.
    if let Some(found) = all.get(serial.as_str()) {
        return Some(*found);
    }
    all.get(&serial.key()).copied()
}

/// Keeps the links of `of`: those that have none too, so that they are not asked for again.
fn keep<F, T>(all: &mut HashMap<F, Vec<Held<T>>>, of: &[F], links: Vec<DatedLink<F, T>>)
where
    F: Copy + Eq + std::hash::Hash,
{
    for one in of {
        all.insert(*one, Vec::new());
    }
    for link in links {
        let held = Held { to: link.to, from: link.from, until: link.until };
        all.entry(link.of).or_default().push(held);
    }
}
