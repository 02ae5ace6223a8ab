//! People and machines in one list, with their activity, their devices and their incursions.
//!
//! Activity and incursion counts are not stored in the registry's tables, so a list is assembled from all entities of a brand, then sorted
//! and cut into pages. Only the figures come from the columns.

use std::cmp::Ordering;
use std::collections::HashMap;

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, Grouping, Groups, IncursionFilter, Measure};
use domain::{
    Activity, Cursor, Entity, EntityLink, EntityType, Invalid, MachineId, OpenAlert, Page, PageRequest,
    PersonId, Timestamp, sorted,
};
use store::CursorCodec as _;

use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::insights::{QueryResult, QuerySpec};
use crate::{App, Caller, Error};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntitySort {
    Name,
    /// By the number of incursions that the entity was part of.
    Incursions,
    /// By the time last seen; entities that were never seen come last.
    LastSeen,
}

impl EntitySort {
    pub const ALL: [Self; 3] = [Self::Name, Self::Incursions, Self::LastSeen];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Incursions => "incursions",
            Self::LastSeen => "last_seen",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityOrder {
    pub by: EntitySort,
    pub is_descending: bool,
}

impl EntityOrder {
    /// Parses a sort key, with a leading `-` for descending order.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let (word, is_descending) = text.strip_prefix('-').map_or((text, false), |word| (word, true));
        let found = EntitySort::ALL.into_iter().find(|by| by.as_str() == word);
        let by = found.ok_or_else(|| {
            let text = "must be name, incursions or last_seen, with a leading - for descending order";
            Invalid::new("invalid_sort", text)
        })?;
        Ok(Self { by, is_descending })
    }
}

/// A filter of entities.
#[derive(Clone, Debug)]
pub struct EntityFilter {
    /// Only people, or only machines; both if empty.
    pub types: Vec<EntityType>,
    /// Only entities whose name, as the caller sees it, contains this text; case and accents do not matter.
    pub q: Option<String>,
    /// Only entities with one of these activities; if empty, all that are not archived.
    pub activities: Vec<Activity>,
    /// The period, worksites and projects of the incursions that are counted. With worksites or projects, the list has only machines that
    /// are there now and entities that were part of an incursion there in the period.
    pub facts: IncursionFilter,
    pub order: EntityOrder,
}

/// The open firings of alerts beside a person or machine, as far as the caller sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityAlerts {
    /// About the person or machine, newest first.
    pub own: Vec<OpenAlert>,
    /// The number of those about the worksite of the machine; none without a worksite.
    pub of_worksite: Option<usize>,
}

/// An entity in a list.
#[derive(Clone, Debug)]
pub struct EntityEntry {
    pub entity: Entity,
    pub activity: Activity,
    /// One figure for each of [`EntityEntry::MEASURES`]. For people it is the sum of pedestrian and operator.
    pub figures: Vec<Figure>,
    pub alerts: EntityAlerts,
}

impl EntityEntry {
    /// The measures of each entry. All of them can be summed over the roles of a person.
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

    /// Distinguishes a person from a machine with the same id, and makes the order of the list unique.
    fn tie_breaker(&self) -> i64 {
        self.entity.id.saturating_mul(2) + i64::from(self.entity.entity_type == EntityType::Machine)
    }

    /// Returns the value that the list is sorted by, in the form that a cursor stores.
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

/// The role of an entity in an incursion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityRole {
    /// The machine that came too close.
    Machine,
    /// The person on foot.
    Pedestrian,
    /// The person driving.
    Operator,
}

impl EntityRole {
    pub const ALL: [Self; 3] = [Self::Machine, Self::Pedestrian, Self::Operator];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Pedestrian => "pedestrian",
            Self::Operator => "operator",
        }
    }

    /// Returns the measures that are shown for the role.
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

/// An entity with all details.
#[derive(Clone, Debug)]
pub struct EntityDetails {
    pub entity: Entity,
    pub activity: Activity,
    /// For each role, one figure for each of its measures.
    pub summaries: Vec<(EntityRole, Vec<Figure>)>,
    /// Current and past links, the latest first.
    pub links: Vec<EntityLink>,
    /// Whether there are older links than those in `links`.
    pub more_links: bool,
    pub alerts: EntityAlerts,
    /// The period, time zones and last change that the summaries are based on.
    pub query_result: QueryResult,
}

/// Maximum number of links of one entity.
const MAX_LINKS: usize = 200;

#[macros::boxed]
impl App {
    /// Lists a page of the people and machines that the caller sees, with the total if requested.
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
        let mut result = self.run_query(caller, of).await?;
        let [machines, pedestrians, operators] = by.map(|_| by_id(result.take_next_groups()));
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
            entries.push(EntityEntry { entity, activity, figures, alerts: EntityAlerts::default() });
        }
        let total = include_total.then_some(i64::try_from(entries.len()).unwrap_or(i64::MAX));
        let mut page = sort_and_paginate(entries, filter, page)?;
        let shown: Vec<&Entity> = page.rows.iter().map(|entry| &entry.entity).collect();
        let alerts = self.find_entity_alerts(caller, &shown).await?;
        for (entry, alerts) in page.rows.iter_mut().zip(alerts) {
            entry.alerts = alerts;
        }
        Ok((page, total))
    }

    /// Lists the people and machines that the caller sees, redacted if necessary, with their activity.
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

    /// Returns a person with all details.
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

    /// Returns a machine with all details.
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
            let mut result = self.run_query(caller, of).await?;
            let figures =
                result.take_next_groups().groups.pop().map(|group| group.figures).unwrap_or_default();
            summaries.push((role, figures));
            last = Some(result);
        }
        let result = last.ok_or_else(|| Error::internal("an entity has no role"))?;
        let more_links = links.len() > MAX_LINKS;
        links.truncate(MAX_LINKS);
        let alerts = self.find_entity_alerts(caller, &[&entity]).await?.pop().unwrap_or_default();
        Ok(EntityDetails { entity, activity, summaries, links, more_links, alerts, query_result: result })
    }
}

fn by_id(groups: Groups) -> HashMap<i64, Vec<Figure>> {
    let with_id = |group: domain::insights::Group| Some((group.keys.first().copied()??, group.figures));
    groups.groups.into_iter().filter_map(with_id).collect()
}

/// Whether a machine is at one of the filtered worksites or projects.
fn is_at_filtered_site(entity: &Entity, facts: &IncursionFilter) -> bool {
    entity.worksite.as_ref().is_some_and(|(site, _, project)| {
        let at_site = facts.worksites.is_empty() || facts.worksites.contains(site);
        let of_project =
            facts.projects.is_empty() || project.is_some_and(|project| facts.projects.contains(&project));
        at_site && of_project
    })
}

/// Returns the sums of the figures of all roles.
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

/// Sorts the entries and returns the page after the cursor. Names are stable; counts and times may change between two pages.
fn sort_and_paginate(
    mut entries: Vec<EntityEntry>,
    filter: &EntityFilter,
    page: &PageRequest,
) -> Result<Page<EntityEntry>, Error> {
    let EntityOrder { by, is_descending } = filter.order;
    let list = format!("entities {filter:?}");
    let directed = |order: Ordering| if is_descending { order.reverse() } else { order };
    let place = |entry: &EntityEntry| (entry.sort_key(by), entry.tie_breaker());
    let mut keyed: Vec<((SortKey, i64), EntityEntry)> =
        entries.drain(..).map(|entry| (place(&entry), entry)).collect();
    // Entities that were never seen come last in either direction.
    let is_last = |key: &SortKey| by == EntitySort::LastSeen && *key == SortKey::Number(i64::MIN);
    let compare = |left: &(SortKey, i64), right: &(SortKey, i64)| {
        let none = is_last(&left.0).cmp(&is_last(&right.0));
        none.then_with(|| directed(left.0.cmp(&right.0))).then(left.1.cmp(&right.1))
    };
    sorted::sort_by(&mut keyed, |left, right| compare(&left.0, &right.0));
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
