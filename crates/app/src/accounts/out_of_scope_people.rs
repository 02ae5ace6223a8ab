//! People all of whose visits, incursions and runtime lie outside of what a restricted caller sees: of them, nothing is told that
//! says when they were last about.

use std::collections::{HashMap, HashSet};

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use domain::{PersonId, Review, TagFlag};
use store::{Entity, ExcludedWearers, Projects, Scope, ScopePlacement, Tx};

use crate::{App, Error, ErrorKind, TagView};

/// The people who belong elsewhere, as far as that was asked.
#[derive(Clone, Debug)]
pub(crate) enum OutOfScopePeople {
    /// These do.
    Only(HashSet<PersonId>),
    /// Nobody knows at the moment, so that everyone counts as if they did.
    Unknown,
}

impl Default for OutOfScopePeople {
    fn default() -> Self {
        Self::Only(HashSet::new())
    }
}

impl OutOfScopePeople {
    /// Whether someone does.
    pub fn contains(&self, person: PersonId) -> bool {
        match self {
            Self::Only(people) => people.contains(&person),
            Self::Unknown => true,
        }
    }

    /// The wearers whose tags are not found by when they were last about.
    pub fn excluded_wearers(&self) -> ExcludedWearers {
        match self {
            Self::Only(people) => ExcludedWearers::These(people.iter().copied().collect()),
            Self::Unknown => ExcludedWearers::Everyone,
        }
    }

    /// Takes away when someone was last about.
    pub fn redact_last_seen(&self, entity: &mut Entity) {
        if entity.entity_type == domain::EntityType::Person && self.contains(PersonId(entity.id)) {
            entity.last_seen_at = None;
            for device in &mut entity.devices {
                device.last_seen_at = None;
            }
        }
    }

    /// The same of the tag that they wear.
    pub fn redact_tag_last_seen(&self, view: &mut TagView) {
        if view.details.person.as_ref().is_some_and(|person| self.contains(person.id)) {
            view.details.tag.last_seen_at = None;
            view.flags.retain(|flag| *flag != TagFlag::Silent);
        }
    }
}

impl App {
    /// Everyone who belongs elsewhere: for lists. What happened is asked of the columns, since no index of the rows leads from
    /// people to it.
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
        let (answer, _) = match self.answer_question(&self.scope_of(scope.brand()), &question).await {
            Ok(answered) => answered,
            // A list does not fail because numbers are not to be had now; it says less.
            Err(error) if error.kind == ErrorKind::Unavailable => return Ok(OutOfScopePeople::Unknown),
            Err(error) => return Err(error),
        };
        let mut is_in_scope: HashMap<PersonId, bool> = HashMap::new();
        for group in answer.groupings.iter().flat_map(|groups| &groups.groups) {
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

    /// The same of one person, or of nobody.
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
