//! People who are out of scope for a restricted caller, because all of their visits, incursions and runtime are. The caller does not
//! learn when they were last seen.

use std::collections::{HashMap, HashSet};

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use domain::{Entity, PersonId, Review};
use store::{ExcludedWearers, Projects, Scope, ScopePlacement, Tx};

use crate::insights::columns::Asker;
use crate::{App, Error, ErrorKind};

/// The people who are out of scope, as far as the query covered.
#[derive(Clone, Debug)]
pub(crate) enum OutOfScopePeople {
    Only(HashSet<PersonId>),
    /// The columns are unavailable at the moment, so everyone counts as out of scope.
    Unknown,
}

impl Default for OutOfScopePeople {
    fn default() -> Self {
        Self::Only(HashSet::new())
    }
}

impl OutOfScopePeople {
    /// Whether a person is out of scope.
    pub fn contains(&self, person: PersonId) -> bool {
        match self {
            Self::Only(people) => people.contains(&person),
            Self::Unknown => true,
        }
    }

    /// Returns the wearers whose tags must not be found by the time at which they were last seen.
    pub fn excluded_wearers(&self) -> ExcludedWearers {
        match self {
            Self::Only(people) => ExcludedWearers::These(people.iter().copied().collect()),
            Self::Unknown => ExcludedWearers::Everyone,
        }
    }

    /// Removes the time at which an out-of-scope person was last seen.
    pub fn redact_last_seen(&self, entity: &mut Entity) {
        if entity.entity_type == domain::EntityType::Person && self.contains(PersonId(entity.id)) {
            entity.last_seen_at = None;
            for device in &mut entity.devices {
                device.last_seen_at = None;
            }
        }
    }
}

impl App {
    /// Finds everyone who is out of scope, for lists. Facts are looked up in the columns, because no index of the rows leads from people
    /// to facts.
    pub(crate) async fn find_out_of_scope_people(&self, scope: &Scope) -> Result<OutOfScopePeople, Error> {
        let Projects::Only(mine) = scope.projects() else { return Ok(OutOfScopePeople::default()) };
        let by = [Dimension::Pedestrian, Dimension::Operator];
        let question = Question {
            from: None,
            to: None,
            filter: IncursionFilter { reviews: Review::ALL.to_vec(), ..IncursionFilter::default() },
            visible_projects: None,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: by.iter().map(|by| Grouping::by([*by, Dimension::Project])).collect(),
        };
        let answered =
            match self.answer_question(&self.scope_of(scope.brand()), &question, Asker::Reader).await {
                Ok(answered) => answered,
                // A list does not fail because the columns are unavailable: it shows less.
                Err(error) if error.kind == ErrorKind::Unavailable => return Ok(OutOfScopePeople::Unknown),
                Err(error) => return Err(error),
            };
        let mut is_in_scope: HashMap<PersonId, bool> = HashMap::new();
        for group in answered.answer.groupings.iter().flat_map(|groups| &groups.groups) {
            let [Some(person), project] = group.keys[..] else { continue };
            let is_mine = project.is_some_and(|project| mine.iter().any(|mine| mine.0 == project));
            *is_in_scope.entry(PersonId(person)).or_default() |= is_mine;
        }
        let (outside, within) = self.store.read().await?.out_of_scope(scope).visitors_by_scope().await?;
        for (person, is_mine) in
            outside.into_iter().map(|id| (id, false)).chain(within.into_iter().map(|id| (id, true)))
        {
            *is_in_scope.entry(person).or_default() |= is_mine;
        }
        let out_of_scope = is_in_scope.into_iter().filter(|(_, is_within)| !is_within);
        Ok(OutOfScopePeople::Only(out_of_scope.map(|(person, _)| person).collect()))
    }

    /// Checks a single person, if there is one.
    pub(crate) async fn check_person_scope(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        person: Option<PersonId>,
    ) -> Result<OutOfScopePeople, Error> {
        let Some(person) = person else { return Ok(OutOfScopePeople::default()) };
        let visibility = tx.out_of_scope(scope).person_placement(person).await?;
        Ok(OutOfScopePeople::Only(
            (visibility == ScopePlacement::OutOfScope).then_some(person).into_iter().collect(),
        ))
    }
}
