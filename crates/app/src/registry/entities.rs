//! People and machines in one list: how they stand, what they carry, what they were part of.
//!
//! How an entity stands and what it was part of is in no column, so a list is put together of all entities of a brand, and then
//! sorted and cut; only what comes from facts is asked of the columns.

use std::cmp::Ordering;
use std::collections::HashMap;

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, Grouping, Groups, IncursionFilter, Measure};
use domain::{Activity, EntityType, Invalid, MachineId, PersonId, Timestamp};
use store::{Cursor, Entity, EntityLink, Page, PageRequest};

use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::insights::{QueryResult, QuerySpec};
use crate::{App, Caller, Error};

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntitySort {
    /// What they are called.
    Name,
    /// How many incursions they were part of.
    Incursions,
    /// When they were last seen; who never was comes last.
    LastSeen,
}

/// What a list is sorted by, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityOrder {
    /// By what.
    pub by: EntitySort,
    /// The greatest first.
    pub is_descending: bool,
}

impl EntityOrder {
    /// Reads a word, with `-` before it for the greatest first.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let (word, is_descending) = text.strip_prefix('-').map_or((text, false), |word| (word, true));
        let by = match word {
            "name" => EntitySort::Name,
            "incursions" => EntitySort::Incursions,
            "last_seen" => EntitySort::LastSeen,
            _ => {
                let text = "must be name, incursions or last_seen, with - before it for the greatest first";
                return Err(Invalid::new("invalid_sort", text));
            }
        };
        Ok(Self { by, is_descending })
    }
}

/// Which entities are asked for.
#[derive(Clone, Debug)]
pub struct EntityFilter {
    /// Only people, or only machines; both if it is empty.
    pub types: Vec<EntityType>,
    /// Only those whose name, as the caller sees it, contains this, whatever its case and accents.
    pub q: Option<String>,
    /// Only those that stand so; if it is empty, all that are not archived.
    pub activities: Vec<Activity>,
    /// Of which time incursions are counted, and at which sites or of which projects: then only machines that are there, and
    /// those who were part of an incursion there in that time.
    pub facts: IncursionFilter,
    /// In which order.
    pub order: EntityOrder,
}

/// One of a list.
#[derive(Clone, Debug)]
pub struct EntityEntry {
    /// Who.
    pub entity: Entity,
    /// How they stand.
    pub activity: Activity,
    /// One for each of [`EntityEntry::MEASURES`]; of people, on foot and driving together.
    pub figures: Vec<Figure>,
}

impl EntityEntry {
    /// What is measured of each. All of them can be added up over the roles of a person.
    pub const MEASURES: [Measure; 5] = [
        Measure::Incursions,
        Measure::Acknowledged,
        Measure::AcknowledgementRate,
        Measure::AverageDuration,
        Measure::Exposure,
    ];

    fn incursions(&self) -> i64 {
        self.figures.first().and_then(|figure| figure.numerator).unwrap_or(0)
    }

    /// Tells apart people and machines of the same id, and keeps the list in one order.
    fn tie_breaker(&self) -> i64 {
        self.entity.id.saturating_mul(2) + i64::from(self.entity.entity_type == EntityType::Machine)
    }

    /// What it is sorted by, as a cursor keeps it.
    fn sort_key(&self, by: EntitySort) -> SortKey {
        match by {
            EntitySort::Name => SortKey::Text(domain::text::fold(&self.entity.name)),
            EntitySort::Incursions => SortKey::Number(self.incursions()),
            EntitySort::LastSeen => {
                SortKey::Number(self.entity.last_seen_at.map_or(i64::MIN, Timestamp::micros))
            }
        }
    }
}

/// What something is sorted by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SortKey {
    Text(String),
    Number(i64),
}

impl SortKey {
    fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }

    fn parse(by: EntitySort, text: String) -> Option<Self> {
        match by {
            EntitySort::Name => Some(Self::Text(text)),
            EntitySort::Incursions | EntitySort::LastSeen => text.parse().ok().map(Self::Number),
        }
    }
}

/// What someone did in an incursion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityRole {
    /// The machine that came too close.
    Machine,
    /// On foot.
    Pedestrian,
    /// Driving.
    Operator,
}

impl EntityRole {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Pedestrian => "pedestrian",
            Self::Operator => "operator",
        }
    }

    /// What is measured of it.
    pub const fn measures(self) -> &'static [Measure] {
        match self {
            Self::Machine => &[
                Measure::Incursions,
                Measure::Acknowledged,
                Measure::Unacknowledged,
                Measure::AcknowledgementRate,
                Measure::AverageDuration,
                Measure::Exposure,
                Measure::AverageAckTime,
                Measure::Pedestrians,
                Measure::Operators,
                Measure::RuntimeHours,
                Measure::IncursionsPerRuntimeHour,
            ],
            Self::Pedestrian => &[
                Measure::Incursions,
                Measure::Acknowledged,
                Measure::Unacknowledged,
                Measure::AcknowledgementRate,
                Measure::AverageDuration,
                Measure::Exposure,
                Measure::AverageAckTime,
                Measure::Machines,
            ],
            Self::Operator => &[
                Measure::Incursions,
                Measure::Acknowledged,
                Measure::Unacknowledged,
                Measure::AcknowledgementRate,
                Measure::AverageDuration,
                Measure::Exposure,
                Measure::AverageAckTime,
                Measure::Pedestrians,
                Measure::RuntimeHours,
                Measure::IncursionsPerRuntimeHour,
            ],
        }
    }
}

/// One entity in full.
#[derive(Clone, Debug)]
pub struct EntityDetails {
    /// Who.
    pub entity: Entity,
    /// How they stand.
    pub activity: Activity,
    /// What they were part of in each role, one figure for each of its measures.
    pub summaries: Vec<(EntityRole, Vec<Figure>)>,
    /// What they are and were linked to, the latest first.
    pub links: Vec<EntityLink>,
    /// Whether there are older links than are told.
    pub more_links: bool,
    /// Of what the summaries are true.
    pub query_result: QueryResult,
}

/// How many links of one entity are told at most.
const MAX_LINKS: usize = 200;

impl App {
    /// One page of the people and machines the caller sees, with how many there are if that is asked for.
    pub async fn list_entities(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &EntityFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<EntityEntry>, Option<i64>), Error> {
        let by = [Dimension::Machine, Dimension::Pedestrian, Dimension::Operator];
        let of = QuerySpec {
            filter: &filter.facts,
            measures: EntityEntry::MEASURES.to_vec(),
            groupings: by.iter().map(|dimension| Grouping::by([*dimension])).collect(),
        };
        let mut asked = self.run_query(caller, of).await?;
        let [machines, pedestrians, operators] = by.map(|_| by_id(asked.take_next_groups()));
        let visible = self.list_visible_entities(caller, &filter.types).await?;
        let search = filter.q.as_deref().map(domain::text::fold);
        let is_filtered_by_site = !filter.facts.worksites.is_empty() || !filter.facts.projects.is_empty();
        let mut entries: Vec<EntityEntry> = Vec::new();
        for (entity, activity) in visible {
            let is_wanted = match filter.activities.is_empty() {
                true => activity != Activity::Archived,
                false => filter.activities.contains(&activity),
            };
            let is_found =
                search.as_ref().is_none_or(|search| domain::text::fold(&entity.name).contains(search));
            if !is_wanted || !is_found {
                continue;
            }
            let roles = match entity.entity_type {
                EntityType::Machine => vec![machines.get(&entity.id)],
                EntityType::Person => vec![pedestrians.get(&entity.id), operators.get(&entity.id)],
            };
            let is_there = roles.iter().any(Option::is_some) || is_at_filtered_site(&entity, &filter.facts);
            if is_filtered_by_site && !is_there {
                continue;
            }
            let figures = sum_figures(roles.into_iter().flatten());
            entries.push(EntityEntry { entity, activity, figures });
        }
        let total = include_total.then_some(i64::try_from(entries.len()).unwrap_or(i64::MAX));
        Ok((sort_and_paginate(entries, filter, page)?, total))
    }

    /// The people and machines the caller sees, named as they see them, with how they stand.
    async fn list_visible_entities(
        &self,
        caller: &Caller<ReadInsights>,
        types: &[EntityType],
    ) -> Result<Vec<(Entity, Activity)>, Error> {
        let scope = caller.scope();
        let is_wanted = |one: EntityType| types.is_empty() || types.contains(&one);
        let out_of_scope = match is_wanted(EntityType::Person) {
            true => self.find_out_of_scope_people(scope).await?,
            false => OutOfScopePeople::default(),
        };
        let mut tx = self.store.read().await?;
        let mut found = Vec::new();
        if is_wanted(EntityType::Person) {
            found.extend(tx.entities(scope).people().await?);
        }
        if is_wanted(EntityType::Machine) {
            found.extend(tx.entities(scope).machines().await?);
        }
        let silence_limit_hours = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let with_activity = |entity| self.with_activity(caller, entity, &out_of_scope, silence_limit_hours);
        Ok(found.into_iter().map(with_activity).collect())
    }

    fn with_activity(
        &self,
        caller: &Caller<ReadInsights>,
        mut entity: Entity,
        out_of_scope: &OutOfScopePeople,
        silence_limit_hours: i64,
    ) -> (Entity, Activity) {
        let now = self.clock.now();
        out_of_scope.redact_last_seen(&mut entity);
        let devices_last_seen: Vec<Option<Timestamp>> =
            entity.devices.iter().map(|device| device.last_seen_at).collect();
        let silent_from = domain::base_station::silence_cutoff(silence_limit_hours, now);
        let activity = Activity::of(
            entity.archived_at.is_some(),
            &devices_last_seen,
            entity.last_seen_at,
            silent_from,
            now,
        );
        (caller.names().redact_record(entity), activity)
    }

    /// A person in full.
    pub async fn find_person_entity(
        &self,
        caller: &Caller<ReadInsights>,
        id: PersonId,
        facts: &IncursionFilter,
    ) -> Result<EntityDetails, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let found = tx.entities(scope).person(id).await?.ok_or_else(|| Error::not_found("person"))?;
        let out_of_scope = self.check_person_scope(&mut tx, scope, Some(id)).await?;
        let links = tx.entities(scope).links_of_person(id, MAX_LINKS as i64 + 1).await?;
        let silence_limit_hours = tx.brand_settings(scope).await?.values.silence_limit_hours;
        drop(tx);
        let pedestrian = IncursionFilter { pedestrians: vec![id], ..facts.clone() };
        let operator = IncursionFilter { operators: vec![id], ..facts.clone() };
        let roles = [(EntityRole::Pedestrian, pedestrian), (EntityRole::Operator, operator)];
        let found = self.with_activity(caller, found, &out_of_scope, silence_limit_hours);
        self.build_entity_details(caller, found, links, roles.into()).await
    }

    /// A machine in full.
    pub async fn find_machine_entity(
        &self,
        caller: &Caller<ReadInsights>,
        id: MachineId,
        facts: &IncursionFilter,
    ) -> Result<EntityDetails, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let found = tx.entities(scope).machine(id).await?.ok_or_else(|| Error::not_found("machine"))?;
        let links = tx.entities(scope).links_of_machine(id, MAX_LINKS as i64 + 1).await?;
        let silence_limit_hours = tx.brand_settings(scope).await?.values.silence_limit_hours;
        drop(tx);
        let machine = IncursionFilter { machines: vec![id], ..facts.clone() };
        let roles = vec![(EntityRole::Machine, machine)];
        let found = self.with_activity(caller, found, &OutOfScopePeople::default(), silence_limit_hours);
        self.build_entity_details(caller, found, links, roles).await
    }

    async fn build_entity_details(
        &self,
        caller: &Caller<ReadInsights>,
        (entity, activity): (Entity, Activity),
        mut links: Vec<EntityLink>,
        roles: Vec<(EntityRole, IncursionFilter)>,
    ) -> Result<EntityDetails, Error> {
        let mut summaries = Vec::new();
        let mut last = None;
        for (role, filter) in roles {
            let measures = role.measures().to_vec();
            let of = QuerySpec { filter: &filter, measures, groupings: vec![Grouping::by([])] };
            let mut asked = self.run_query(caller, of).await?;
            let figures =
                asked.take_next_groups().groups.pop().map(|group| group.figures).unwrap_or_default();
            summaries.push((role, figures));
            last = Some(asked);
        }
        let asked = last.ok_or_else(|| Error::internal("an entity has no role"))?;
        let more_links = links.len() > MAX_LINKS;
        links.truncate(MAX_LINKS);
        Ok(EntityDetails { entity, activity, summaries, links, more_links, query_result: asked })
    }
}

fn by_id(groups: Groups) -> HashMap<i64, Vec<Figure>> {
    let with_id = |group: domain::insights::Group| Some((group.keys.first().copied()??, group.figures));
    groups.groups.into_iter().filter_map(with_id).collect()
}

/// Whether a machine is where is asked for.
fn is_at_filtered_site(entity: &Entity, facts: &IncursionFilter) -> bool {
    entity.worksite.as_ref().is_some_and(|(site, _, project)| {
        let at_site = facts.worksites.is_empty() || facts.worksites.contains(site);
        let of_project =
            facts.projects.is_empty() || project.is_some_and(|project| facts.projects.contains(&project));
        at_site && of_project
    })
}

/// The figures of all roles added up.
fn sum_figures<'a>(roles: impl Iterator<Item = &'a Vec<Figure>>) -> Vec<Figure> {
    let nothing = Figure { numerator: Some(0), denominator: Some(0), incursions: 0 };
    let mut sums = vec![nothing; EntityEntry::MEASURES.len()];
    for figures in roles {
        for (sum, figure) in sums.iter_mut().zip(figures) {
            sum.numerator = sum.numerator.zip(figure.numerator).map(|(left, right)| left + right);
            sum.denominator = sum.denominator.zip(figure.denominator).map(|(left, right)| left + right);
            sum.incursions += figure.incursions;
        }
    }
    sums
}

/// Sorts, and takes what comes after the cursor. Names do not move; counts and times may, between one page and the next.
fn sort_and_paginate(
    mut entries: Vec<EntityEntry>,
    filter: &EntityFilter,
    page: &PageRequest,
) -> Result<Page<EntityEntry>, Error> {
    let EntityOrder { by, is_descending: is_falling } = filter.order;
    let list = format!("entities {filter:?}");
    let directed = |order: Ordering| if is_falling { order.reverse() } else { order };
    let place = |entry: &EntityEntry| (entry.sort_key(by), entry.tie_breaker());
    let mut keyed: Vec<((SortKey, i64), EntityEntry)> =
        entries.drain(..).map(|entry| (place(&entry), entry)).collect();
    // Who was never seen comes last either way.
    let is_last = |key: &SortKey| by == EntitySort::LastSeen && *key == SortKey::Number(i64::MIN);
    let compare = |left: &(SortKey, i64), right: &(SortKey, i64)| {
        let none = is_last(&left.0).cmp(&is_last(&right.0));
        none.then_with(|| directed(left.0.cmp(&right.0))).then(left.1.cmp(&right.1))
    };
    keyed.sort_by(|left, right| compare(&left.0, &right.0));
    if let Some(cursor) = &page.after {
        let refusal = || Error::from(store::Error::InvalidCursor);
        let (key, number) = cursor.decode(&list).ok_or_else(refusal)?;
        let after = (SortKey::parse(by, key).ok_or_else(refusal)?, number);
        let first = keyed.partition_point(|(place, _)| compare(place, &after) != Ordering::Greater);
        keyed.drain(..first);
    }
    let limit = usize::from(page.limit);
    let next = match keyed.len() > limit {
        true => keyed.get(limit.saturating_sub(1)),
        false => None,
    };
    let next = next.map(|((key, number), _)| Cursor::new(&list, &key.to_text(), *number));
    keyed.truncate(limit);
    Ok(Page { rows: keyed.into_iter().map(|(_, entry)| entry).collect(), next })
}
