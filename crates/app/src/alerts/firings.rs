//! Firings as callers see them.
//!
//! A caller sees a firing if they see all projects that went into it. Rows have ids only; names are put in for each reader.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Group, Groups};
use domain::{
    AlertDelivery, AlertFiring, AlertFiringFilter, AlertFiringId, AlertRuleId, FiringSubject, Listing, Page,
    PageRequest, PeriodBound, PersonId, SortedMap, Sorting, Timestamp, Window, person,
};
use store::{Projects, Scope};

use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::insights::QueryScope;
use crate::insights::labels::Labels;
use crate::platform::local_bounds::resolve_for_brand;
use crate::{App, Caller, Error};

/// A firing as one caller sees it.
#[derive(Clone, Debug)]
pub struct FiringView {
    pub firing: AlertFiring,
    /// Names as the caller sees them, by the fields of the subject.
    pub labels: FiringLabels,
    /// Empty in lists.
    pub deliveries: Vec<AlertDelivery>,
}

/// The names of what a firing is about: serial numbers of tags and base stations, names of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FiringLabels {
    pub project: Option<String>,
    pub worksite: Option<String>,
    pub machine: Option<String>,
    pub base_station: Option<String>,
    /// Someone whose name is hidden is called such as "Person 7".
    pub person: Option<String>,
    pub tag: Option<String>,
}

#[macros::boxed]
impl App {
    /// Returns a page of firings, the newest first, with the total if requested.
    pub async fn list_alert_firings(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &AlertFiringFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<FiringView>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let found = tx.visible_firings(scope).page(filter, page).await?;
        let total = match include_total {
            true => Some(tx.visible_firings(scope).count(filter).await?),
            false => None,
        };
        drop(tx);
        let rows = self.view_firings(caller, found.rows).await?;
        Ok((Page { rows, next: found.next }, total))
    }

    /// Returns a window of firings, with the total if requested.
    pub async fn slice_alert_firings(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &AlertFiringFilter,
        sorting: Sorting,
        window: &Window,
        include_total: bool,
    ) -> Result<Listing<FiringView>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let slice = tx.visible_firings(scope).slice(filter, sorting, window).await?;
        let total = match include_total {
            true => Some(tx.visible_firings(scope).count(filter).await?),
            false => None,
        };
        drop(tx);
        let Listing { rows, previous, next, total, changes } = Listing::new(slice, total, None);
        let rows = self.view_firings(caller, rows).await?;
        Ok(Listing { rows, previous, next, total, changes })
    }

    /// Returns a firing with its deliveries. `rule` must be its rule, if given; the rule itself may have been deleted since.
    pub async fn find_alert_firing(
        &self,
        caller: &Caller<ReadInsights>,
        rule: Option<AlertRuleId>,
        id: AlertFiringId,
    ) -> Result<FiringView, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let found = tx.visible_firings(scope).find(id).await?;
        let found = found.filter(|firing| rule.is_none_or(|rule| rule == firing.rule));
        let found = found.ok_or_else(|| Error::not_found("firing"))?;
        let deliveries = tx.alert_deliveries(scope).of_firing(id).await?;
        drop(tx);
        let view = self.view_firings(caller, vec![found]).await?.pop();
        let view = view.ok_or_else(|| Error::internal("a firing is shown as none"))?;
        Ok(FiringView { deliveries, ..view })
    }

    /// Returns the instants between which firings are asked for; days are those of the brand's clock.
    pub async fn resolve_firing_period(
        &self,
        caller: &Caller<ReadInsights>,
        bounds: (Option<PeriodBound>, Option<PeriodBound>),
    ) -> Result<(Option<Timestamp>, Option<Timestamp>), Error> {
        if let (None, None) = bounds {
            return Ok((None, None));
        }
        let mut tx = self.store.read().await?;
        resolve_for_brand(&mut tx, caller.scope(), bounds).await
    }

    /// Returns the address of the page about a firing.
    pub fn firing_url(&self, firing: &AlertFiring) -> String {
        format!("{}/alerts/{}/firings/{}", self.alerts.setup.base_url, firing.rule, firing.id)
    }
}

impl App {
    async fn view_firings(
        &self,
        caller: &Caller<ReadInsights>,
        firings: Vec<AlertFiring>,
    ) -> Result<Vec<FiringView>, Error> {
        let labels = self.label_firings(caller.query_scope(), &firings).await?;
        let views = firings.into_iter().zip(labels);
        Ok(views.map(|(firing, labels)| FiringView { firing, labels, deliveries: Vec::new() }).collect())
    }

    /// Returns the names of what firings are about, as far as a scope may see them.
    pub(crate) async fn label_firings(
        &self,
        scope: QueryScope<'_>,
        firings: &[AlertFiring],
    ) -> Result<Vec<FiringLabels>, Error> {
        let wanted = firings.iter().flat_map(|firing| references(&firing.subject));
        let group = |id| Group { keys: vec![Some(id)], figures: Vec::new() };
        let wanted = SortedMap::grouped(wanted.map(|(dimension, id)| (dimension, group(id))));
        if wanted.is_empty() {
            return Ok(vec![FiringLabels::default(); firings.len()]);
        }
        let hidden = match wanted.contains_key(&Dimension::Pedestrian) {
            true => self.find_hidden_people(scope.scope).await?,
            false => OutOfScopePeople::default(),
        };
        let groups: Vec<([Dimension; 1], Groups)> =
            wanted.into_iter().map(|(dimension, groups)| ([dimension], Groups { groups, more: 0 })).collect();
        let wanted = groups.iter().map(|(dimensions, groups)| (&dimensions[..], groups));
        let labels = self.load_labels_in(scope, wanted).await?;
        Ok(firings.iter().map(|firing| label(&firing.subject, &labels, &hidden)).collect())
    }

    /// Returns the people whose names a restricted scope does not see, because all that is known of them lies outside.
    pub(in crate::alerts) async fn find_hidden_people(
        &self,
        scope: &Scope,
    ) -> Result<OutOfScopePeople, Error> {
        match scope.projects() {
            Projects::All => Ok(OutOfScopePeople::default()),
            Projects::Only(_) => self.find_out_of_scope_people(scope).await,
        }
    }
}

/// Returns the records that have a name, with the dimension by which names are looked up.
fn references(subject: &FiringSubject) -> impl Iterator<Item = (Dimension, i64)> + use<> {
    [
        (Dimension::Project, subject.project.map(|id| id.0)),
        (Dimension::Worksite, subject.worksite.map(|id| id.0)),
        (Dimension::Machine, subject.machine.map(|id| id.0)),
        (Dimension::BaseStation, subject.base_station.map(|id| id.0)),
        (Dimension::Pedestrian, subject.person.map(|id| id.0)),
        (Dimension::Tag, subject.tag.map(|id| id.0)),
    ]
    .into_iter()
    .filter_map(|(dimension, id)| Some((dimension, id?)))
}

/// A record that is gone is called by its number.
fn label(subject: &FiringSubject, labels: &Labels, hidden: &OutOfScopePeople) -> FiringLabels {
    let name = |dimension: Dimension, id: Option<i64>| id.map(|id| labels.label(dimension, Some(id)).label);
    FiringLabels {
        project: name(Dimension::Project, subject.project.map(|id| id.0)),
        worksite: name(Dimension::Worksite, subject.worksite.map(|id| id.0)),
        machine: name(Dimension::Machine, subject.machine.map(|id| id.0)),
        base_station: name(Dimension::BaseStation, subject.base_station.map(|id| id.0)),
        person: subject.person.map(|person| label_person(person, labels, hidden)),
        tag: name(Dimension::Tag, subject.tag.map(|id| id.0)),
    }
}

pub(in crate::alerts) fn label_person(
    person: PersonId,
    labels: &Labels,
    hidden: &OutOfScopePeople,
) -> String {
    let name = labels.name(Dimension::Pedestrian, person.0).filter(|_| !hidden.contains(person));
    name.map_or_else(|| person::placeholder_name(person), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::{MachineId, TagId};

    use super::*;

    #[test]
    fn what_is_gone_or_hidden_is_called_by_its_number() {
        let subject = FiringSubject {
            machine: Some(MachineId(5)),
            person: Some(PersonId(7)),
            tag: Some(TagId(9)),
            ..FiringSubject::default()
        };
        let ids: Vec<i64> = references(&subject).map(|(_, id)| id).collect();
        assert_eq!(ids, [5, 7, 9]);
        let everyone = OutOfScopePeople::Only(HashSet::from([PersonId(7)]));
        for hidden in [OutOfScopePeople::default(), everyone] {
            let shown = label(&subject, &Labels::default(), &hidden);
            assert_eq!(shown.machine.as_deref(), Some("Machine 5"));
            assert_eq!(shown.person.as_deref(), Some("Person 7"));
            assert_eq!((shown.project, shown.worksite), (None, None));
        }
    }
}
