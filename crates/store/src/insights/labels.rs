//! Names of records by their ids, for labelling the groups of analytics answers.

use std::collections::HashMap;
use std::iter;

use domain::PersonName;
use domain::row::FromRow;

use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// Number of ids per statement. Shorter lists are padded to this size, so that the statement is always the same and stays
/// prepared.
pub(super) const BATCH_SIZE: usize = 200;

/// The names of a brand's records. The ids come from facts that the caller may see, so projects are not checked again.
pub struct Labels<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn labels<'a>(&'a mut self, scope: &'a Scope) -> Labels<'a> {
        Labels(self, scope)
    }
}

#[derive(macros::FromRow)]
struct Label(#[row(column = "id")] i64, #[row(column = "name")] String);

#[macros::boxed]
impl Labels<'_> {
    pub async fn projects(&mut self, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        self.names("select id, name from projects where brand_id = $1", ids).await
    }

    pub async fn worksites(&mut self, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        self.names("select id, name from worksites where brand_id = $1", ids).await
    }

    pub async fn machines(&mut self, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        self.names("select id, name from machines where brand_id = $1", ids).await
    }

    /// Returns the serials of base stations.
    pub async fn base_stations(&mut self, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        self.names("select id, serial as name from base_stations where brand_id = $1", ids).await
    }

    /// Returns the serials of tags.
    pub async fn tags(&mut self, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        self.names("select id, serial as name from tags where brand_id = $1", ids).await
    }

    pub async fn people(&mut self, ids: &[i64]) -> Result<Vec<PersonName>, Error> {
        self.among("select id, name, kind from people where brand_id = $1", "id", ids).await
    }

    async fn names(&mut self, text: &'static str, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        let found: Vec<Label> = self.among(text, "id", ids).await?;
        Ok(found.into_iter().map(|Label(id, name)| (id, name)).collect())
    }

    async fn among<T: FromRow<Row> + Send>(
        &mut self,
        text: &'static str,
        column: &'static str,
        ids: &[i64],
    ) -> Result<Vec<T>, Error> {
        let mut found = Vec::with_capacity(ids.len());
        for some in ids.chunks(BATCH_SIZE) {
            found.extend(self.0.all(sql!(text).bind(self.1.brand()).and_in(column, padded(some))).await?);
        }
        Ok(found)
    }
}

/// Repeats the last id up to the batch size.
pub(super) fn padded(ids: &[i64]) -> impl Iterator<Item = i64> {
    ids.iter().copied().chain(iter::repeat(ids.last().copied().unwrap_or_default())).take(BATCH_SIZE)
}
