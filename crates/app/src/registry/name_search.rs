//! Finding people, tags and base stations by part of their name, as the caller sees it.

use domain::access::ReadRegistry;
use domain::{Found, FoundBaseStation, FoundPerson, FoundTag};

use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Finds up to `max` people whose names contain a text, archived or not. Callers who do not see names look among the placeholders that
    /// they see instead.
    pub async fn search_people(
        &self,
        caller: &Caller<ReadRegistry>,
        text: &str,
        max: u16,
    ) -> Result<Found<FoundPerson>, Error> {
        let names = caller.names();
        let mut tx = self.store.read().await?;
        let mut found = tx.name_search(caller.scope()).people(text, names.search_field(), max).await?;
        found.records = found.records.into_iter().map(|person| names.redact_record(person)).collect();
        Ok(found)
    }

    /// Finds up to `max` tags whose serials contain a text, retired or not, with those who wear them.
    pub async fn search_tags(
        &self,
        caller: &Caller<ReadRegistry>,
        text: &str,
        max: u16,
    ) -> Result<Found<FoundTag>, Error> {
        let names = caller.names();
        let mut tx = self.store.read().await?;
        let mut found = tx.name_search(caller.scope()).tags(text, max).await?;
        found.records = found.records.into_iter().map(|tag| names.redact_record(tag)).collect();
        Ok(found)
    }

    /// Finds up to `max` of the base stations that the caller sees whose serials or names contain a text.
    pub async fn search_base_stations(
        &self,
        caller: &Caller<ReadRegistry>,
        text: &str,
        max: u16,
    ) -> Result<Found<FoundBaseStation>, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.name_search(caller.scope()).base_stations(text, max).await?)
    }
}
