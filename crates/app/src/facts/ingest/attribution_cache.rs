//! The links of a brand in memory, valid for as long as the brand's `registry_version` is unchanged.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use domain::{
    BaseStationId, MachineId, PersonId, ProjectId, Serial, SortedMap, SortedSet, Span, StoredIncursion,
    TagId, TimeZone, Timestamp, WorksiteId,
};
use geography::SiteIndex;
use store::{Contact, DatedLink, Scope, Tx};

use super::events::{EventSource, ReceivedEvent, ResolvedEvent, latest_timestamp, tag_serials};
use crate::Error;

/// Maximum number of stations and tags in memory; beyond it the cache is emptied.
const MAX_CACHED: usize = 200_000;

/// A newer time of contact is written only if it is at least this much later than the stored one.
const LAST_SEEN_RESOLUTION: Span = Span::minutes(1);

/// A link that was in force during a period.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkPeriod<T> {
    pub target: T,
    pub from: Timestamp,
    pub until: Option<Timestamp>,
}

impl<T: Copy> LinkPeriod<T> {
    /// Returns the target of the link in force at a time.
    pub fn at(all: &[Self], at: Timestamp) -> Option<T> {
        all.iter()
            .find(|held| held.from <= at && held.until.is_none_or(|until| at < until))
            .map(|held| held.target)
    }
}

/// The time zone and project of a worksite from a time on.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub from: Timestamp,
    pub time_zone: TimeZone,
    pub project: Option<ProjectId>,
}

/// The links of a brand that have been needed so far.
pub(crate) struct AttributionCache {
    /// The timeline of the server that the links were read from.
    timeline: i64,
    registry_version: i64,
    stations_by_serial: HashMap<String, BaseStationId>,
    tags_by_serial: HashMap<String, TagId>,
    serials: HashMap<TagId, String>,
    pub(super) installations: HashMap<BaseStationId, Vec<LinkPeriod<MachineId>>>,
    pub(super) wearers: HashMap<TagId, Vec<LinkPeriod<PersonId>>>,
    pub(super) machine_sites: HashMap<MachineId, Vec<LinkPeriod<WorksiteId>>>,
    pub(super) terms: HashMap<WorksiteId, Vec<Term>>,
    pub(super) brand_time_zone: TimeZone,
    pub(super) site_index: Arc<SiteIndex>,
    last_seen: LastSeen,
}

/// The times of last contact that have been written, by station and by tag.
#[derive(Default)]
pub(super) struct LastSeen {
    stations: HashMap<BaseStationId, Timestamp>,
    tags: HashMap<TagId, Timestamp>,
}

impl Default for AttributionCache {
    fn default() -> Self {
        Self {
            timeline: 0,
            registry_version: 0,
            stations_by_serial: HashMap::new(),
            tags_by_serial: HashMap::new(),
            serials: HashMap::new(),
            installations: HashMap::new(),
            wearers: HashMap::new(),
            machine_sites: HashMap::new(),
            terms: HashMap::new(),
            brand_time_zone: TimeZone::utc(),
            site_index: Arc::new(SiteIndex::new([])),
            last_seen: LastSeen::default(),
        }
    }
}

/// The stations and tags that a batch of events refers to.
#[derive(Default)]
pub(crate) struct LinkLookup {
    pub station_serials: BTreeSet<String>,
    pub station_ids: SortedSet<BaseStationId>,
    pub tag_serials: BTreeSet<String>,
    pub tag_ids: SortedSet<TagId>,
}

impl LinkLookup {
    pub(super) fn of(received: &[(EventSource, &ReceivedEvent)]) -> Self {
        let ids = received.iter().filter_map(|(source, _)| match source {
            EventSource::Station(id) => Some(*id),
            _ => None,
        });
        let mut wanted = Self { station_ids: ids.collect(), ..Self::default() };
        for (_, arrival) in received {
            if let Some(serial) = &arrival.event.base_station {
                insert_serial_key(&mut wanted.station_serials, serial);
            }
            for serial in tag_serials(&arrival.event.payload) {
                insert_serial_key(&mut wanted.tag_serials, serial);
            }
        }
        wanted
    }
}

impl LinkLookup {
    /// Collects the stations and tags of stored incursions.
    pub fn of_rows(rows: &[StoredIncursion]) -> Self {
        let tags = rows.iter().flat_map(|kept| [Some(kept.row.tag), kept.row.operator_tag]).flatten();
        Self::of_ids(rows.iter().map(|kept| kept.row.base_station), tags)
    }

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

/// Most events name a serial that another event has named already; those are not copied.
fn insert_serial_key(keys: &mut BTreeSet<String>, serial: &Serial) {
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

#[macros::boxed]
impl AttributionCache {
    /// Finds a station by its serial.
    pub fn station(&self, serial: &Serial) -> Option<BaseStationId> {
        find_by_serial(&self.stations_by_serial, serial)
    }

    /// Finds a tag by its serial.
    pub fn tag(&self, serial: &Serial) -> Option<TagId> {
        find_by_serial(&self.tags_by_serial, serial)
    }

    /// Returns the case-folded serial of a tag.
    pub fn serial_of(&self, tag: TagId) -> Option<&str> {
        self.serials.get(&tag).map(String::as_str)
    }

    /// Drops everything unless it was read from a server on this timeline: another one may lack some of it, under the same versions.
    pub fn keep_if_read_on(&mut self, timeline: i64) {
        if self.timeline != timeline {
            *self = Self { timeline, ..Self::default() };
        }
    }

    /// Reads the missing links, or all of them if the registry has changed. A caller that writes what it
    /// attributes passes the transaction that holds the brand's lock, so that nothing changes between this
    /// read and its commit.
    pub async fn refresh(
        &mut self,
        tx: &mut Tx,
        scope: &Scope,
        version: i64,
        index: Arc<SiteIndex>,
        lookup: &LinkLookup,
    ) -> Result<(), Error> {
        if self.registry_version != version
            || self.tags_by_serial.len() + self.stations_by_serial.len() > MAX_CACHED
        {
            let last_seen = std::mem::take(&mut self.last_seen);
            *self = Self { timeline: self.timeline, last_seen, ..Self::default() };
            let zone = tx.brand_settings(scope).await?.values.time_zone;
            self.brand_time_zone = zone;
            for term in tx.fact_links(scope).site_terms().await? {
                let zone = TimeZone::parse(&term.time_zone).unwrap_or_else(|_| self.brand_time_zone.clone());
                let term_of = Term { from: term.from, time_zone: zone, project: term.project };
                self.terms.entry(term.worksite).or_default().push(term_of);
            }
        }
        self.site_index = index;
        self.load_stations(tx, scope, lookup).await?;
        self.load_tags(tx, scope, lookup).await?;
        self.registry_version = version;
        Ok(())
    }

    async fn load_stations(&mut self, tx: &mut Tx, scope: &Scope, lookup: &LinkLookup) -> Result<(), Error> {
        let keys: Vec<String> = lookup
            .station_serials
            .iter()
            .filter(|key| !self.stations_by_serial.contains_key(*key))
            .cloned()
            .collect();
        let ids: Vec<_> =
            lookup.station_ids.iter().filter(|id| !self.installations.contains_key(id)).copied().collect();
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
        self.stations_by_serial.extend(found.into_iter().map(|station| (station.key, station.id)));
        let installations = tx.fact_links(scope).installations(&fresh).await?;
        let machines: SortedSet<MachineId> = installations.iter().map(|link| link.target).collect();
        let machines: Vec<_> =
            machines.into_iter().filter(|machine| !self.machine_sites.contains_key(machine)).collect();
        cache_periods(&mut self.installations, &fresh, installations);
        if !machines.is_empty() {
            let sites = tx.fact_links(scope).machine_sites(&machines).await?;
            cache_periods(&mut self.machine_sites, &machines, sites);
        }
        Ok(())
    }

    /// Reads the missing tags of stored rows, under the brand's lock; the reports of the batch need not name them.
    pub(super) async fn load_missing_tags(
        &mut self,
        tx: &mut Tx,
        scope: &Scope,
        tag_ids: SortedSet<TagId>,
    ) -> Result<(), Error> {
        self.load_tags(tx, scope, &LinkLookup { tag_ids, ..LinkLookup::default() }).await
    }

    async fn load_tags(&mut self, tx: &mut Tx, scope: &Scope, lookup: &LinkLookup) -> Result<(), Error> {
        let keys: Vec<String> = lookup
            .tag_serials
            .iter()
            .filter(|key| !self.tags_by_serial.contains_key(*key))
            .cloned()
            .collect();
        let ids: Vec<_> =
            lookup.tag_ids.iter().filter(|id| !self.wearers.contains_key(id)).copied().collect();
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
        cache_periods(&mut self.wearers, &fresh, wearers);
        for tag in found {
            self.serials.insert(tag.id, tag.key.clone());
            self.tags_by_serial.insert(tag.key, tag.id);
        }
        Ok(())
    }

    /// Registers unknown tags. This increments the registry version, so that the cache is read again afterwards, whether the
    /// transaction succeeds or fails.
    pub(super) async fn register_unknown_tags(
        &mut self,
        tx: &mut Tx,
        scope: &Scope,
        events: &[ResolvedEvent<'_>],
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut unknown: BTreeMap<String, &Serial> = BTreeMap::new();
        for event in events {
            for serial in
                tag_serials(&event.received.event.payload).filter(|serial| self.tag(serial).is_none())
            {
                unknown.entry(serial.key()).or_insert(serial);
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let counters = tx.lock_and_bump_registry(scope).await?;
        let serials: Vec<Serial> = unknown.values().map(|serial| (*serial).clone()).collect();
        tx.fact_links(scope).add_tags(&serials, now).await?;
        let wanted = LinkLookup { tag_serials: unknown.into_keys().collect(), ..LinkLookup::default() };
        self.load_tags(tx, scope, &wanted).await?;
        self.registry_version = counters.registry_version;
        Ok(())
    }

    /// Writes the times of last contact that are newer by [`LAST_SEEN_RESOLUTION`], and returns what was written.
    pub(super) async fn record_last_seen(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        events: &[ResolvedEvent<'_>],
        now: Timestamp,
    ) -> Result<LastSeen, Error> {
        let mut seen = LastSeen::default();
        for event in events {
            let at = latest_timestamp(&event.received.event.payload).min(now);
            keep_latest(&mut seen.stations, event.station, at);
            for tag in tag_serials(&event.received.event.payload).filter_map(|serial| self.tag(serial)) {
                keep_latest(&mut seen.tags, tag, at);
            }
        }
        let is_news = |before: Option<&Timestamp>, at: Timestamp| {
            before.is_none_or(|before| at > *before + LAST_SEEN_RESOLUTION)
        };
        seen.stations.retain(|id, at| is_news(self.last_seen.stations.get(id), *at));
        seen.tags.retain(|id, at| is_news(self.last_seen.tags.get(id), *at));
        // Always in the same order, so that two processes cannot deadlock.
        let stations: SortedMap<_, _> = seen.stations.iter().map(|(id, at)| (*id, *at)).collect();
        let contact = |(station, at)| Contact { station, at, firmware: None, faults: None };
        let contacts: Vec<Contact<'_>> = stations.into_iter().map(contact).collect();
        tx.base_stations(scope).record_contacts(&contacts).await?;
        let tags: SortedMap<_, _> = seen.tags.iter().map(|(id, at)| (*id, *at)).collect();
        tx.tags(scope).record_last_seen(&tags).await?;
        Ok(seen)
    }

    /// Remembers the written times. Called after the commit.
    pub(super) fn remember_last_seen(&mut self, seen: LastSeen) {
        self.last_seen.stations.extend(seen.stations);
        self.last_seen.tags.extend(seen.tags);
    }
}

fn keep_latest<K: std::hash::Hash + Eq>(all: &mut HashMap<K, Timestamp>, key: K, at: Timestamp) {
    all.entry(key).and_modify(|before| *before = at.max(*before)).or_insert(at);
}

fn find_by_serial<T: Copy>(all: &HashMap<String, T>, serial: &Serial) -> Option<T> {
    // Most serials are case-folded already.
    if let Some(found) = all.get(serial.as_str()) {
        return Some(*found);
    }
    all.get(&serial.key()).copied()
}

/// Caches the links of all of `of`, including those without any, so that they are not read again.
fn cache_periods<F, T>(all: &mut HashMap<F, Vec<LinkPeriod<T>>>, of: &[F], links: Vec<DatedLink<F, T>>)
where
    F: Copy + Eq + std::hash::Hash,
{
    for one in of {
        all.insert(*one, Vec::new());
    }
    for link in links {
        let held = LinkPeriod { target: link.target, from: link.from, until: link.until };
        all.entry(link.subject).or_default().push(held);
    }
}
