//! The document of a log of visits.

use documents::{Align, Block, Finding, Metric, Row, Table, Text, Tone};
use domain::insights::Dimension;
use domain::{Day, SortedMap, SortedSet, Timestamp, sorted};
use texts::reports;

use super::advice;
use super::composer::Composer;
use super::formats::{Better, NO_VALUE};
use super::sections::section;
use super::tables::{MAX_DOCUMENT_ROWS, MAX_ROWS, column, more_rows, plain_row};
use crate::reports::figures::VisitFigure;

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let visits: Vec<&VisitFigure> = composer.figures().visits.iter().collect();
    let mut blocks = vec![metrics(composer), Block::Findings(findings(composer))];
    if visits.is_empty() {
        blocks.push(Block::Paragraph(Text::plain(
            composer.fill(reports::NO_VISITS, &[("period", &composer.period())]),
        )));
        return blocks;
    }
    let open: Vec<&VisitFigure> = visits.iter().copied().filter(|visit| is_open(visit)).collect();
    let closed: Vec<&VisitFigure> =
        visits.iter().copied().filter(|visit| visit.closed_automatically).collect();
    blocks.extend(section(composer, reports::VISITS_BY_DAY, [Some(by_day(composer))]));
    blocks.extend(section(composer, reports::VISITS_BY_WORKSITE, [Some(by_worksite(composer))]));
    for (heading, visits) in [(reports::OPEN_VISITS, open), (reports::CLOSED_AUTOMATICALLY, closed)] {
        blocks.extend(section(composer, heading, [visit_table(composer, heading, &visits, MAX_ROWS)]));
    }
    let all = visit_table(composer, reports::ALL_VISITS, &visits, MAX_DOCUMENT_ROWS);
    blocks.extend(section(composer, reports::ALL_VISITS, [all]));
    blocks
}

fn is_open(visit: &VisitFigure) -> bool {
    visit.checked_out_at.is_none()
}

fn metrics(composer: &Composer<'_>) -> Block {
    let (figures, formats) = (composer.figures(), composer.formats);
    let count = |is_counted: fn(&VisitFigure) -> bool| {
        let found = figures.visits.iter().filter(|visit| is_counted(visit)).count();
        i64::try_from(found).unwrap_or(i64::MAX)
    };
    let all = count(|_| true);
    let of_visits = composer.counted(reports::OF_VISITS, all, &[]);
    let metric = |label: texts::Text, value: i64, note: String| Metric {
        label: composer.text(label),
        value: formats.count(value),
        change: None,
        note,
    };
    let before = figures.previous_visits;
    let change = before
        .filter(|_| composer.is_comparable())
        .and_then(|before| formats.change((all as f64, before as f64), (all, before), Better::Neither));
    let earlier = before.map_or(NO_VALUE.to_owned(), |before| formats.count(before));
    let incursions: i64 = figures.visits.iter().map(|visit| visit.incursions).sum();
    let with_incursions = count(|visit| visit.incursions > 0);
    let note = composer.counted(reports::IN_VISITS, with_incursions, &[]);
    let previously = composer.fill(reports::PREVIOUSLY, &[("value", &earlier)]);
    Block::Metrics(vec![
        Metric { change, ..metric(reports::VISITS, all, previously) },
        metric(reports::OPEN, count(is_open), of_visits.clone()),
        metric(reports::CLOSED_BY_SERVICE, count(|visit| visit.closed_automatically), of_visits),
        metric(reports::INCURSIONS_DURING_VISITS, incursions, note),
    ])
}

fn findings(composer: &Composer<'_>) -> Vec<Finding> {
    let (figures, formats) = (composer.figures(), composer.formats);
    let mut findings = Vec::new();
    let all = i64::try_from(figures.visits.len()).unwrap_or(i64::MAX);
    if let Some(before) = figures.previous_visits.filter(|_| composer.is_comparable()) {
        let before = formats.count(before);
        let people: SortedSet<i64> = figures.visits.iter().map(|visit| visit.person).collect();
        let people = formats.unsigned(people.len() as u64);
        findings.push(Finding {
            tone: Tone::Plain,
            heading: composer.text(reports::WHAT_CHANGED),
            text: Text::plain(composer.counted(reports::VISITS_AFTER, all, &[("before", &before)])),
            evidence: composer.fill(reports::BY_VISITORS, &[("n", &people)]),
        });
    }
    let sites = worksites(composer);
    let worst = sites.iter().reduce(|best, next| if next.1.1 > best.1.1 { next } else { best });
    if let Some((site, (visits, incursions))) = worst.filter(|(_, (_, incursions))| *incursions > 0) {
        let name = composer.label(Dimension::Worksite, *site);
        let total: i64 = figures.visits.iter().map(|visit| visit.incursions).sum();
        let (count, total) = (formats.count(*incursions), formats.count(total));
        let values = [("n", count.as_str()), ("total", &total)];
        findings.push(Finding {
            tone: Tone::Warning,
            heading: composer.text(reports::WHERE_WORST),
            text: composer.sentence(reports::WORST_SITE_OF_VISITS, &[("name", &name)], &values),
            evidence: composer.fill(reports::VISITS_THERE, &[("n", &formats.count(*visits))]),
        });
    }
    findings.push(what_to_do(composer));
    findings
}

fn what_to_do(composer: &Composer<'_>) -> Finding {
    let (figures, formats) = (composer.figures(), composer.formats);
    let now = figures.computed_at.unwrap_or(Timestamp::from_micros(0));
    let is_overdue =
        |visit: &&VisitFigure| is_open(visit) && visit.expected_until.is_some_and(|until| until < now);
    let overdue = figures.visits.iter().filter(is_overdue).count();
    let closed = figures.visits.iter().filter(|visit| visit.closed_automatically).count();
    let all = i64::try_from(figures.visits.len()).unwrap_or(i64::MAX);
    let (number, text, tone) = match (overdue, closed) {
        (1.., _) => (overdue, reports::ACT_OVERDUE_VISITS, Tone::Warning),
        (0, 1..) => (closed, reports::ACT_CLOSED_VISITS, Tone::Warning),
        (0, 0) if figures.visits.is_empty() => (0, reports::ACT_NO_VISITS, Tone::Plain),
        (0, 0) => (0, reports::ACT_NO_LATE_VISITS, Tone::Good),
    };
    let number = formats.unsigned(number as u64);
    let evidence = composer.counted(reports::PART_OF_VISITS, all, &[("part", &number)]);
    advice::advice(composer, tone, composer.text(text), evidence)
}

/// Returns visits and incursions by worksite.
fn worksites(composer: &Composer<'_>) -> SortedMap<Option<i64>, (i64, i64)> {
    let visits = composer.figures().visits.iter();
    SortedMap::merged(visits.map(|visit| (visit.worksite, (1, visit.incursions))), add)
}

/// Adds visits and incursions.
fn add(sum: &mut (i64, i64), more: &mut (i64, i64)) {
    *sum = (sum.0 + more.0, sum.1 + more.1);
}

fn by_worksite(composer: &Composer<'_>) -> Block {
    let mut sites: Vec<(Option<i64>, (i64, i64))> = worksites(composer).into_iter().collect();
    sorted::sort_by_key(&mut sites, |(_, (visits, _))| -visits);
    let row = |(site, (visits, incursions)): &(Option<i64>, (i64, i64))| {
        plain_row(vec![
            composer.linked(Dimension::Worksite, *site),
            Text::plain(composer.formats.count(*visits)),
            Text::plain(composer.formats.count(*incursions)),
        ])
    };
    let left_out = sites.len().saturating_sub(MAX_ROWS) as u64;
    Block::Table(Table {
        title: composer.text(reports::VISITS_BY_WORKSITE),
        summary: composer.text(reports::TABLE_OF_VISITED_SITES),
        columns: vec![
            column(texts::values::dimension(composer.language(), "worksite"), Align::Start, 3.0),
            column(composer.text(reports::VISITS), Align::End, 1.0),
            column(composer.text(reports::INCURSIONS_DURING_VISITS), Align::End, 1.4),
        ],
        rows: sites.iter().take(MAX_ROWS).map(row).collect(),
        note: more_rows(composer, left_out),
    })
}

fn by_day(composer: &Composer<'_>) -> Block {
    let day = |visit: &VisitFigure| {
        let local = visit.checked_in_at.seconds() + i64::from(visit.offset_s);
        (local.div_euclid(86_400), (1, visit.incursions))
    };
    let days = SortedMap::merged(composer.figures().visits.iter().map(day), add);
    // The last days matter most.
    let left_out = days.len().saturating_sub(MAX_ROWS);
    let row = |(day, (visits, incursions)): (&i64, &(i64, i64))| {
        let weekday = texts::values::weekday(composer.language(), (day + 3).rem_euclid(7));
        plain_row(vec![
            Text::plain(format!("{} {}", weekday, composer.formats.day(Day::from_number(*day)))),
            Text::plain(composer.formats.count(*visits)),
            Text::plain(composer.formats.count(*incursions)),
        ])
    };
    let rows: Vec<Row> = days.iter().skip(left_out).map(row).collect();
    Block::Table(Table {
        title: composer.text(reports::VISITS_BY_DAY),
        summary: composer.text(reports::TABLE_OF_VISIT_DAYS),
        columns: vec![
            column(texts::values::dimension(composer.language(), "day"), Align::Start, 3.0),
            column(composer.text(reports::VISITS), Align::End, 1.0),
            column(composer.text(reports::INCURSIONS_DURING_VISITS), Align::End, 1.4),
        ],
        rows,
        note: more_rows(composer, left_out as u64),
    })
}

fn visit_table(
    composer: &Composer<'_>,
    title: texts::Text,
    visits: &[&VisitFigure],
    most: usize,
) -> Option<Block> {
    if visits.is_empty() {
        return None;
    }
    let dimension = |word: &str| texts::values::dimension(composer.language(), word);
    let in_time = visits.iter().take(most).take_while(|_| composer.is_in_time());
    Some(Block::Table(Table {
        title: composer.text(title),
        summary: composer.text(reports::TABLE_OF_VISITS),
        columns: vec![
            column(composer.text(reports::CHECKED_IN), Align::Start, 1.7),
            column(composer.text(reports::CHECKED_OUT), Align::Start, 1.7),
            column(composer.text(reports::LENGTH), Align::End, 1.0),
            column(composer.text(reports::VISITOR), Align::Start, 2.0),
            column(composer.text(reports::COMPANY), Align::Start, 1.7),
            column(dimension("tag"), Align::Start, 1.4),
            column(dimension("worksite"), Align::Start, 1.7),
            column(composer.text(reports::INCURSIONS_SHORT), Align::End, 1.0),
        ],
        rows: in_time.map(|visit| visit_row(composer, visit)).collect(),
        note: more_rows(composer, visits.len().saturating_sub(most) as u64),
    }))
}

fn visit_row(composer: &Composer<'_>, visit: &VisitFigure) -> Row {
    let formats = composer.formats;
    let at = |at: Timestamp| formats.minute(at, visit.offset_s);
    let out = match (visit.checked_out_at, visit.closed_automatically) {
        (None, _) => composer.text(reports::STILL_OPEN),
        (Some(out), false) => at(out),
        (Some(out), true) => composer.fill(reports::CLOSED_AT, &[("time", &at(out))]),
    };
    let length = visit.checked_out_at.map(|out| formats.span(out - visit.checked_in_at));
    let company = composer.content.names.visit(visit.visit).company;
    plain_row(vec![
        Text::plain(at(visit.checked_in_at)),
        Text::plain(out),
        Text::plain(length.unwrap_or_else(|| NO_VALUE.to_owned())),
        composer.linked(Dimension::Pedestrian, Some(visit.person)),
        Text::plain(company.unwrap_or_else(|| NO_VALUE.to_owned())),
        Text::plain(composer.label(Dimension::Tag, Some(visit.tag))),
        composer.linked(Dimension::Worksite, visit.worksite),
        Text::plain(formats.count(visit.incursions)),
    ])
}
