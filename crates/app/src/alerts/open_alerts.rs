//! Open firings beside the people, machines and worksites that they are about.

use std::collections::HashMap;
use std::hash::Hash;

use domain::access::{ReadInsights, ReadRegistry};
use domain::{Entity, EntityType, MachineId, OpenAlert, PersonId, SortedSet, WorksiteId};

use crate::registry::entities::EntityAlerts;
use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Returns the open firings about a worksite that the caller sees, the newest first.
    pub async fn list_open_alerts_of_worksite(
        &self,
        caller: &Caller<ReadRegistry>,
        id: WorksiteId,
    ) -> Result<Vec<OpenAlert>, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.open_alerts(caller.scope()).of_worksites(&[id]).await?;
        Ok(found.into_iter().map(|(_, alert)| alert).collect())
    }
}

impl App {
    /// Returns the open firings beside each of these, in their order, with one statement for each kind of record.
    pub(crate) async fn find_entity_alerts(
        &self,
        caller: &Caller<ReadInsights>,
        entities: &[&Entity],
    ) -> Result<Vec<EntityAlerts>, Error> {
        let of_type = |wanted: EntityType| {
            let found = entities.iter().filter(move |entity| entity.entity_type == wanted);
            found.map(|entity| entity.id)
        };
        let machines: Vec<MachineId> = of_type(EntityType::Machine).map(MachineId).collect();
        let people: Vec<PersonId> = of_type(EntityType::Person).map(PersonId).collect();
        let worksites = entities.iter().filter_map(|entity| worksite_of(entity));
        let worksites: Vec<WorksiteId> = worksites.collect::<SortedSet<_>>().into();
        let mut tx = self.store.read().await?;
        let mut alerts = tx.open_alerts(caller.scope());
        let mut of_machines = by_subject(alerts.of_machines(&machines).await?);
        let mut of_people = by_subject(alerts.of_people(&people).await?);
        let of_worksites = by_subject(alerts.of_worksites(&worksites).await?);
        let beside = |entity: &&Entity| EntityAlerts {
            own: match entity.entity_type {
                EntityType::Machine => of_machines.remove(&MachineId(entity.id)),
                EntityType::Person => of_people.remove(&PersonId(entity.id)),
            }
            .unwrap_or_default(),
            of_worksite: worksite_of(entity).map(|site| of_worksites.get(&site).map_or(0, Vec::len)),
        };
        Ok(entities.iter().map(beside).collect())
    }
}

fn worksite_of(entity: &Entity) -> Option<WorksiteId> {
    entity.worksite.as_ref().map(|(site, ..)| *site)
}

fn by_subject<T: Eq + Hash>(found: Vec<(T, OpenAlert)>) -> HashMap<T, Vec<OpenAlert>> {
    let mut by_subject: HashMap<T, Vec<OpenAlert>> = HashMap::new();
    for (subject, alert) in found {
        by_subject.entry(subject).or_default().push(alert);
    }
    by_subject
}
