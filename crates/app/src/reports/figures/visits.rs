//! The figures of a log of visits.

use std::collections::HashMap;

use domain::insights::{IncursionFilter, Measure};
use domain::{
    ActorKind, Direction, IncursionDetails, Period, PeriodBound, ProjectId, SortKey, SortedSet, Sorting,
    TagAssignmentId, TagId, TimeZone, Timestamp, Visit, VisitFilter, Window, WindowPosition, WorksiteId,
};
use store::{Projects, Scope, Tx};

use super::asking::{NamedQuestion, all, stored_period};
use super::incursion_rows::MAX_TAGS_IN_FILTER;
use super::{Draft, VisitFigure};
use crate::accounts::authors::Author;
use crate::platform::local_bounds::resolve_for_visits;
use crate::reports::request::ReportRequest;
use crate::reports::size_limits::{MAX_RECORDS, too_many_rows};
use crate::{App, Error};

const PAGE: u16 = 500;
/// Ids in one statement.
const BATCH: usize = 200;

/// When a visitor wore a tag.
type Worn = (Timestamp, Timestamp);

impl App {
    pub(super) async fn collect_visits(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let main = NamedQuestion {
            name: "main",
            filter: &request.filter,
            measures: vec![Measure::Incursions],
            groupings: vec![("total", all([]))],
        };
        let mut draft = Draft::default();
        draft.figures.answers = self.ask_questions(author.query_scope(), &[main]).await?;
        let seq = draft.figures.answers.first().map_or(0, |answer| answer.seq);
        // A project narrows the log as it narrows what a restricted reader sees: by the project at the check-in.
        let scope = self.narrowed_scope(author, &request.filter.projects);
        draft.uses_whole_scope = request.filter.projects.is_empty();
        let visits = self.visits_in(&scope, &request.filter).await?;
        let before = self.filter_before(author, &request.filter).await?;
        draft.figures.previous_visits = Some(self.count_visits_in(&scope, &before).await?);
        draft.figures.previous = stored_period(&before);
        progress(30);
        let zones = self.zones_of_visits(&scope, &visits).await?;
        let incursions = self.incursions_of_visits(&scope, &request.filter, seq, &visits).await?;
        progress(90);
        let named: SortedSet<&str> = zones.values().map(TimeZone::as_str).collect();
        draft.figures.time_zones = named.into_iter().map(str::to_owned).collect();
        draft.figures.visits = visits
            .iter()
            .zip(incursions)
            .map(|(visit, incursions)| visit_figure(visit, incursions, &zones))
            .collect();
        Ok(draft)
    }

    /// Returns the scope of an author, limited to these projects if there are any.
    fn narrowed_scope(&self, author: &Author, projects: &[ProjectId]) -> Scope {
        let allowed = match author.scope.projects() {
            _ if projects.is_empty() => author.scope.projects().clone(),
            Projects::All => Projects::Only(projects.to_vec()),
            Projects::Only(own) => {
                Projects::Only(projects.iter().copied().filter(|project| own.contains(project)).collect())
            }
        };
        self.platform.scope(author.scope.brand(), allowed)
    }

    /// Returns the visits that began in the period, the earliest first.
    async fn visits_in(&self, scope: &Scope, filter: &IncursionFilter) -> Result<Vec<Visit>, Error> {
        let mut tx = self.store.read().await?;
        let asked = visit_filter(&mut tx, scope, filter).await?;
        let sorting = Sorting::by(SortKey::StartedAt, Direction::Ascending);
        let mut window = Window { size: PAGE, position: WindowPosition::Start };
        let mut visits = Vec::new();
        loop {
            let page = tx.visitor_sessions(scope).slice(&asked, sorting, &window).await?;
            visits.extend(page.rows);
            if visits.len() > MAX_RECORDS {
                return Err(too_many_rows(MAX_RECORDS));
            }
            match page.next {
                Some(next) => window.position = WindowPosition::After(next),
                None => return Ok(visits),
            }
        }
    }

    /// Counts the visits that a log has.
    pub(in crate::reports) async fn count_visits_of(
        &self,
        author: &Author,
        request: &ReportRequest,
    ) -> Result<i64, Error> {
        let scope = self.narrowed_scope(author, &request.filter.projects);
        self.count_visits_in(&scope, &request.filter).await
    }

    async fn count_visits_in(&self, scope: &Scope, filter: &IncursionFilter) -> Result<i64, Error> {
        let mut tx = self.store.read().await?;
        let asked = visit_filter(&mut tx, scope, filter).await?;
        Ok(tx.visitor_sessions(scope).count(&asked).await?)
    }

    /// Returns the time zones of the visited worksites and, if there are visits to none, that of the brand.
    async fn zones_of_visits(
        &self,
        scope: &Scope,
        visits: &[Visit],
    ) -> Result<HashMap<Option<WorksiteId>, TimeZone>, Error> {
        let mut tx = self.store.read().await?;
        let brand = tx.brand_settings(scope).await?.values.time_zone;
        let sites: SortedSet<WorksiteId> =
            visits.iter().filter_map(|visit| visit.worksite.as_ref()).map(|site| site.id).collect();
        let mut zones = HashMap::new();
        for site in sites {
            let found = tx.worksites(scope).find_without_boundary(site).await?;
            let zone = found.and_then(|site| TimeZone::parse(&site.time_zone).ok());
            zones.insert(Some(site), zone.unwrap_or_else(|| brand.clone()));
        }
        if visits.iter().any(|visit| visit.worksite.is_none()) {
            zones.insert(None, brand);
        }
        Ok(zones)
    }

    /// Counts the incursions of each visit: of its tag, from the check-in until the check-out or until the tag was handed back.
    async fn incursions_of_visits(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        seq: i64,
        visits: &[Visit],
    ) -> Result<Vec<i64>, Error> {
        let handed_back = self.ends_of_assignments(scope, visits).await?;
        let now = self.clock.now();
        let mut worn: HashMap<TagId, Vec<(usize, Worn)>> = HashMap::new();
        let (mut first, mut last) = (now, Timestamp::from_micros(0));
        for (place, visit) in visits.iter().enumerate() {
            let ends = [visit.checked_out_at, handed_back.get(&visit.assignment).copied()];
            let until = ends.into_iter().flatten().min().unwrap_or(now);
            (first, last) = (first.min(visit.checked_in_at), last.max(until));
            worn.entry(visit.tag).or_default().push((place, (visit.checked_in_at, until)));
        }
        let mut counts = vec![0; visits.len()];
        if first >= last {
            return Ok(counts);
        }
        let (from, to) = (PeriodBound::Instant(first), PeriodBound::Instant(last));
        let tags: Vec<TagId> = worn.keys().copied().collect();
        let of_tags = IncursionFilter {
            period: Some(Period { from: Some(from), to: Some(to) }),
            tags: if tags.len() <= MAX_TAGS_IN_FILTER { tags } else { Vec::new() },
            reviews: filter.reviews.clone(),
            ..IncursionFilter::default()
        };
        let mut count = |details: &IncursionDetails| {
            let row = &details.stored.row;
            for (place, (from, until)) in worn.get(&row.tag).into_iter().flatten() {
                if *from <= row.started_at && row.started_at < *until {
                    counts[*place] += 1;
                }
            }
        };
        self.each_incursion(scope, &of_tags, seq, &mut count).await?;
        Ok(counts)
    }

    /// Returns when the assignments of visits ended. A tag that was handed back early may be worn by someone else before the
    /// visitor leaves.
    async fn ends_of_assignments(
        &self,
        scope: &Scope,
        visits: &[Visit],
    ) -> Result<HashMap<TagAssignmentId, Timestamp>, Error> {
        let Some(first) = visits.iter().map(|visit| visit.checked_in_at).min() else {
            return Ok(HashMap::new());
        };
        let tags: SortedSet<TagId> = visits.iter().map(|visit| visit.tag).collect();
        let tags: Vec<TagId> = tags.into_iter().collect();
        let mut tx = self.store.read().await?;
        let mut ends = HashMap::new();
        for some in tags.chunks(BATCH) {
            let found = tx.tag_assignments(scope).of_tags(some, (first, self.clock.now())).await?;
            ends.extend(found.into_iter().filter_map(|one| Some((one.id, one.ended_at?))));
        }
        Ok(ends)
    }
}

/// Returns the visits that a filter of incursions selects: by their check-in, worksite and person.
async fn visit_filter(tx: &mut Tx, scope: &Scope, filter: &IncursionFilter) -> Result<VisitFilter, Error> {
    let period = filter.period.unwrap_or_default();
    let mut people = filter.people.clone();
    people.extend(&filter.pedestrians);
    let asked = VisitFilter {
        worksites: filter.worksites.clone(),
        people,
        from: period.from,
        to: period.to,
        ..VisitFilter::default()
    };
    Ok(VisitFilter { period: resolve_for_visits(tx, scope, &asked).await?, ..asked })
}

fn visit_figure(
    visit: &Visit,
    incursions: i64,
    zones: &HashMap<Option<WorksiteId>, TimeZone>,
) -> VisitFigure {
    let site = visit.worksite.as_ref().map(|site| site.id);
    let is_by_service = |by: &domain::Actor| by.kind == ActorKind::Service;
    VisitFigure {
        visit: visit.id.0,
        person: visit.person.id.0,
        worksite: site.map(|site| site.0),
        tag: visit.tag.0,
        checked_in_at: visit.checked_in_at,
        checked_out_at: visit.checked_out_at,
        expected_until: visit.expected_until,
        closed_automatically: visit.checked_out_by.as_ref().is_some_and(is_by_service),
        incursions,
        offset_s: zones.get(&site).map_or(0, |zone| zone.offset_s(visit.checked_in_at)),
    }
}
