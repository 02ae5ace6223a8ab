//! Checks events without writing anything.

use domain::{Event, Serial};
use store::Brand;

use super::events::EventOutcome;
use super::writer::{station_required, unknown_station};
use crate::{App, Error};

#[macros::boxed]
impl App {
    /// Looks up the stations of events. An event that is accepted here may still be a duplicate or conflict with a stored one.
    pub async fn dry_run_events(&self, brand: &Brand, events: &[Event]) -> Result<Vec<EventOutcome>, Error> {
        let scope = self.scope_of(brand.id);
        let mut keys: Vec<String> =
            events.iter().filter_map(|event| event.base_station.as_ref()).map(Serial::key).collect();
        keys.sort_unstable();
        keys.dedup();
        let found = self.store.read().await?.fact_links(&scope).stations(&keys).await?;
        let known: std::collections::HashSet<String> = found.into_iter().map(|station| station.key).collect();
        let verdict = |event: &Event| match &event.base_station {
            None => EventOutcome::Rejected(station_required()),
            Some(serial) if !known.contains(&serial.key()) => EventOutcome::Rejected(unknown_station()),
            Some(_) => EventOutcome::Accepted,
        };
        Ok(events.iter().map(verdict).collect())
    }
}
