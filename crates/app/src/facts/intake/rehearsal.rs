//! What would become of events, as far as that can be known without writing.

use domain::{Event, Serial};
use store::Brand;

use super::Verdict;
use super::writer::{no_station, unknown_station};
use crate::{App, Error};

impl App {
    /// Looks for the stations of events. One that is accepted here may still turn out to be known, or to contradict what is.
    pub async fn rehearse(&self, brand: &Brand, events: &[Event]) -> Result<Vec<Verdict>, Error> {
        let scope = self.scope_of(brand.id);
        let mut keys: Vec<String> =
            events.iter().filter_map(|event| event.base_station.as_ref()).map(Serial::key).collect();
        keys.sort_unstable();
        keys.dedup();
        let found = self.store.read().await?.fact_links(&scope).stations(&keys).await?;
        let known: std::collections::HashSet<String> = found.into_iter().map(|station| station.key).collect();
        let verdict = |event: &Event| match &event.base_station {
            None => Verdict::Rejected(no_station()),
            Some(serial) if !known.contains(&serial.key()) => Verdict::Rejected(unknown_station()),
            Some(_) => Verdict::Accepted,
        };
        Ok(events.iter().map(verdict).collect())
    }
}
