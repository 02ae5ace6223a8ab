//! People all of whose visits, incursions and runtime lie outside of what a restricted caller sees: of them, nothing is told that
//! says when they were last about.

use std::collections::{HashMap, HashSet};

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use domain::{PersonId, Review, TagFlag};
use store::{Entity, Projects, Scope, Standing, Tx, UnwornBy};

use crate::{App, Error, Kind, TagView};

/// The people who belong elsewhere, as far as that was asked.
#[derive(Clone, Debug)]
pub(crate) enum Elsewhere {
    /// These do.
    Only(HashSet<PersonId>),
    /// Nobody knows at the moment, so that everyone counts as if they did.
    Unknown,
}

impl Default for Elsewhere {
    fn default() -> Self {
        Self::Only(HashSet::new())
    }
}

impl Elsewhere {
    /// Whether someone does.
    pub fn has(&self, person: PersonId) -> bool {
        match self {
            Self::Only(people) => people.contains(&person),
            Self::Unknown => true,
        }
    }

    /// The wearers whose tags are not found by when they were last about.
    pub fn unworn_by(&self) -> UnwornBy {
        match self {
            Self::Only(people) => UnwornBy::These(people.iter().copied().collect()),
            Self::Unknown => UnwornBy::Anyone,
        }
    }

    /// Takes away when someone was last about.
    pub fn hide(&self, entity: &mut Entity) {
        if entity.entity_type == domain::EntityType::Person && self.has(PersonId(entity.id)) {
            entity.last_seen_at = None;
            for device in &mut entity.devices {
                device.last_seen_at = None;
            }
        }
    }

    /// The same of the tag that they wear.
    pub fn hide_of_tag(&self, view: &mut TagView) {
        if view.details.person.as_ref().is_some_and(|person| self.has(person.id)) {
            view.details.tag.last_seen_at = None;
            view.flags.retain(|flag| *flag != TagFlag::Silent);
        }
    }
}

impl App {
    /// Everyone who belongs elsewhere: for lists. What happened is asked of the columns, since no index of the rows leads from
    /// people to it.
    pub(crate) async fn people_elsewhere(&self, scope: &Scope) -> Result<Elsewhere, Error> {
        let Projects::Only(mine) = scope.projects() else { return Ok(Elsewhere::default()) };
        let by = [Dimension::Pedestrian, Dimension::Operator];
        let question = Question {
            from: None,
            to: None,
            filter: IncursionFilter { reviews: Review::ALL.to_vec(), ..IncursionFilter::default() },
            within: None,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: by.iter().map(|by| Grouping::by([*by, Dimension::Project])).collect(),
        };
        let (answer, _) = match self.answer(&self.scope_of(scope.brand()), &question).await {
            Ok(answered) => answered,
            // A list does not fail because numbers are not to be had now; it says less.
            Err(error) if error.kind == Kind::Unavailable => return Ok(Elsewhere::Unknown),
            Err(error) => return Err(error),
        };
        let mut is_within: HashMap<PersonId, bool> = HashMap::new();
        for group in answer.groupings.iter().flat_map(|groups| &groups.groups) {
            let [Some(person), project] = group.keys[..] else { continue };
            let is_mine = project.is_some_and(|project| mine.iter().any(|mine| mine.0 == project));
            *is_within.entry(PersonId(person)).or_default() |= is_mine;
        }
        let (beyond, within) = self.store.read().await?.outside(scope).visitors().await?;
        for (person, is_mine) in
            beyond.into_iter().map(|id| (id, false)).chain(within.into_iter().map(|id| (id, true)))
        {
            *is_within.entry(person).or_default() |= is_mine;
        }
        let elsewhere = is_within.into_iter().filter(|(_, is_within)| !is_within);
        Ok(Elsewhere::Only(elsewhere.map(|(person, _)| person).collect()))
    }

    /// The same of one person, or of nobody.
    pub(crate) async fn elsewhere(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        person: Option<PersonId>,
    ) -> Result<Elsewhere, Error> {
        let Some(person) = person else { return Ok(Elsewhere::default()) };
        let standing = tx.outside(scope).person(person).await?;
        Ok(Elsewhere::Only((standing == Standing::Elsewhere).then_some(person).into_iter().collect()))
    }
}
