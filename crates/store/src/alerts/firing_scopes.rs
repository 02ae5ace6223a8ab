//! What the rules of firings were restricted to when they fired.

use domain::{AlertFiringId, AlertScope, AlertSplit, FiringScope, PersonId};

use crate::Error;
use crate::alerts::firings::{AlertFirings, BATCH_SIZE};
use crate::engine::statement::sql;

#[derive(macros::FromRow)]
struct ScopeOfFiring {
    id: AlertFiringId,
    scope: AlertScope,
    split_by: AlertSplit,
}

#[macros::boxed]
impl AlertFirings<'_> {
    /// Returns what the rules of these firings were restricted to, by id. Those of which it is not known are not among them.
    pub async fn scopes(
        &mut self,
        ids: &[AlertFiringId],
    ) -> Result<Vec<(AlertFiringId, FiringScope)>, Error> {
        let text = "select id, scope, split_by from alert_firings
             where brand_id = $1 and scope is not null and split_by is not null";
        let mut found: Vec<ScopeOfFiring> = Vec::new();
        for some in ids.chunks(BATCH_SIZE) {
            let statement = sql!(text, self.1.brand()).and_in_padded("id", some.iter().copied());
            found.extend(self.0.all::<ScopeOfFiring>(statement).await?);
        }
        found.sort_unstable_by_key(|one| one.id);
        found.dedup_by_key(|one| one.id);
        let scopes = found
            .into_iter()
            .map(|ScopeOfFiring { id, scope, split_by }| (id, FiringScope { scope, split_by }));
        Ok(scopes.collect())
    }

    /// Removes a person from what firings were restricted to. Where they were the only one, it is not known any more: without them, the
    /// firing would seem to be about everyone.
    pub(super) async fn erase_from_scopes(&mut self, person: PersonId) -> Result<(), Error> {
        let brand = self.1.brand();
        let text = "select id, scope, split_by from alert_firings
             where brand_id = $1 and split_by is not null and scope not like '%\"person_ids\":[]%' and scope like $2";
        let found: Vec<ScopeOfFiring> = self.0.all(sql!(text, brand, format!("%{person}%"))).await?;
        for mut one in found {
            if one.scope.remove_person(person) {
                let rest = (!one.scope.person_ids.is_empty()).then(|| one.scope.to_json());
                let text = "update alert_firings set scope = $3 where brand_id = $1 and id = $2";
                self.0.execute(sql!(text, brand, one.id, rest)).await?;
            }
        }
        Ok(())
    }
}
