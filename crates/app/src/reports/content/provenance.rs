//! Where the numbers of a report come from: on its last page, and beside its tables.

use documents::{Block, Text};
use domain::insights::{Dimension, IncursionFilter};
use domain::{ActorKind, PeriodBound, Span};
use texts::reports;

use super::composer::Composer;
use super::period_end;

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let mut details = lines(composer);
    let id = composer.content.report.id.to_string();
    let link = Text::default().and_link(id, composer.report_address());
    details.push((composer.text(reports::REPORT_ID), link));
    vec![composer.heading(reports::ABOUT), Block::Details(details)]
}

/// Returns the names and values of the provenance.
pub(super) fn lines(composer: &Composer<'_>) -> Vec<(String, Text)> {
    let (content, figures) = (composer.content, composer.figures());
    let mut lines: Vec<(String, Text)> = Vec::new();
    let mut add = |name: texts::Text, value: Text| lines.push((composer.text(name), value));
    add(reports::BRAND, content.brand.values.name.as_str().into());
    add(reports::PERIOD, composer.period().into());
    if let Some(notice) = period_end::notice(composer) {
        add(reports::END_OF_FIGURES, notice.into());
    }
    add(reports::TIME_ZONES, figures.time_zones.join(", ").into());
    if let Some(zone) = &figures.tag_time_zone {
        add(reports::TAG_TIME_ZONE, zone.as_str().into());
    }
    if let Some(previous) = previous_period(composer) {
        add(reports::PREVIOUS_PERIOD, previous.into());
    }
    if let Some(projects) = &figures.restricted_to {
        let names: Vec<String> =
            projects.iter().map(|project| composer.label(Dimension::Project, Some(*project))).collect();
        add(reports::RESTRICTED_TO, composer.list_of_names(&names));
    }
    for (name, value) in filters(composer, &content.request.filter) {
        add(name, value);
    }
    add(reports::CHANGE_NUMBER, figures.seq.to_string().into());
    if let Some(computed_at) = composer.figures_at() {
        add(reports::COMPUTED_AT, composer.formats.minute_in(computed_at, &composer.time_zones()).into());
    }
    add(reports::PROGRAM, figures.program.as_str().into());
    let name = content.report.author.name.clone().filter(|_| content.report.names_people);
    let author = match (content.report.author.kind, content.report.author.id, name) {
        (_, _, Some(name)) => name,
        (ActorKind::ServiceAccount, Some(id), None) => {
            composer.fill(reports::SERVICE_ACCOUNT, &[("id", &id.to_string())])
        }
        (_, Some(id), None) => composer.fill(reports::USER, &[("id", &id.to_string())]),
        (_, None, None) => composer.text(reports::NOBODY),
    };
    add(reports::AUTHOR, author.into());
    let names = if content.report.names_people { reports::NAMES_AS_OF_NOW } else { reports::WITHOUT_NAMES };
    add(reports::NAMES, composer.text(names).into());
    lines
}

/// Returns the period with which the report is compared, if there is one. A period that has not begun is compared with nothing.
pub(super) fn previous_period(composer: &Composer<'_>) -> Option<String> {
    let (from, to) = composer.figures().previous.as_ref()?;
    let (from, to) = (PeriodBound::parse(from).ok()?, PeriodBound::parse(to).ok()?);
    let zones = composer.time_zones();
    (!from.leaves_no_time(to, &zones)).then(|| composer.formats.period((from, to), &zones))
}

/// Describes the filters in words, each with its name.
fn filters(composer: &Composer<'_>, filter: &IncursionFilter) -> Vec<(texts::Text, Text)> {
    let language = composer.language();
    let named = |dimension: Dimension, ids: Vec<i64>| -> Vec<String> {
        ids.into_iter().map(|id| composer.label(dimension, Some(id))).collect()
    };
    let people = |ids: &[domain::PersonId]| -> Vec<i64> { ids.iter().map(|id| id.0).collect() };
    let seconds = |span: Option<Span>| span.map(|span| composer.formats.span(span)).into_iter().collect();
    let acknowledged = filter.acknowledged.map(|is_acknowledged| {
        composer.text(if is_acknowledged { texts::documents::YES } else { texts::documents::NO })
    });
    let lists: [(texts::Text, Vec<String>); 14] = [
        (
            reports::FILTER_PROJECTS,
            named(Dimension::Project, filter.projects.iter().map(|id| id.0).collect()),
        ),
        (
            reports::FILTER_WORKSITES,
            named(Dimension::Worksite, filter.worksites.iter().map(|id| id.0).collect()),
        ),
        (
            reports::FILTER_WORKSITE_KINDS,
            words(filter.worksite_kinds.iter().map(|kind| kind.as_str()), |word| {
                texts::values::worksite_kind(language, word)
            }),
        ),
        (
            reports::FILTER_MACHINES,
            named(Dimension::Machine, filter.machines.iter().map(|id| id.0).collect()),
        ),
        (
            reports::FILTER_MACHINE_KINDS,
            words(filter.machine_kinds.iter().map(|kind| kind.as_str()), |word| {
                texts::values::machine_kind(language, word)
            }),
        ),
        (
            reports::FILTER_BASE_STATIONS,
            named(Dimension::BaseStation, filter.base_stations.iter().map(|id| id.0).collect()),
        ),
        (reports::FILTER_PEOPLE, named(Dimension::Pedestrian, people(&filter.people))),
        (reports::FILTER_PEDESTRIANS, named(Dimension::Pedestrian, people(&filter.pedestrians))),
        (reports::FILTER_OPERATORS, named(Dimension::Pedestrian, people(&filter.operators))),
        (reports::FILTER_TAGS, named(Dimension::Tag, filter.tags.iter().map(|id| id.0).collect())),
        (
            reports::FILTER_ZONES,
            words(filter.zones.iter().map(|zone| zone.as_str()), |word| texts::values::zone(language, word)),
        ),
        (reports::FILTER_ACKNOWLEDGED, acknowledged.into_iter().collect()),
        (reports::FILTER_SHORTEST, seconds(filter.min_duration)),
        (reports::FILTER_LONGEST, seconds(filter.max_duration)),
    ];
    let lists = lists.into_iter().filter(|(_, values)| !values.is_empty());
    lists.map(|(name, values)| (name, composer.list_of_names(&values))).collect()
}

fn words(all: impl Iterator<Item = &'static str>, translate: impl Fn(&str) -> &'static str) -> Vec<String> {
    all.map(|word| translate(word).to_owned()).collect()
}
