//! The first page: the numbers that matter, and what changed.

use documents::{Block, Finding, Metric, Text, Tone};
use domain::insights::{Dimension, Figure, Measure};
use texts::reports;

use super::composer::Composer;
use super::formats::{Better, NO_VALUE};
use crate::reports::figures::GroupView;
use crate::reports::thresholds::{MIN_CHANGE, MIN_INCURSIONS};

/// The answers that are compared, and the parts among which the largest change is looked for.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    pub main: &'static str,
    pub previous: &'static str,
    /// A grouping of both, such as by machine.
    pub parts: Option<(&'static str, Dimension)>,
}

/// A change that may be worth reporting, with how much it weighs.
struct Change {
    weight: f64,
    text: Text,
    evidence: String,
    tone: Tone,
}

impl Compared {
    /// A person on foot and driving.
    pub const ON_FOOT: Self = Self { main: "foot", previous: "foot_previous", parts: None };
    pub const DRIVING: Self = Self { main: "drive", previous: "drive_previous", parts: None };

    pub const fn new(parts: Option<(&'static str, Dimension)>) -> Self {
        Self { main: "main", previous: "previous", parts }
    }

    /// Returns whether it is about someone who drives, in a report about a person.
    pub fn is_driving(self) -> bool {
        self.main == Self::DRIVING.main
    }

    fn now(self, composer: &Composer<'_>, measure: Measure) -> Figure {
        composer.figures().total(self.main, measure)
    }

    fn before(self, composer: &Composer<'_>, measure: Measure) -> Figure {
        composer.figures().total(self.previous, measure)
    }

    pub fn incursions(self, composer: &Composer<'_>) -> i64 {
        self.now(composer, Measure::Incursions).incursions
    }

    /// Returns whether there is something now and nothing was recorded before.
    fn is_first(self, composer: &Composer<'_>) -> bool {
        composer.figures().has_data(self.main) && !composer.figures().has_data_before(self.previous)
    }

    fn incursions_before(self, composer: &Composer<'_>) -> i64 {
        self.before(composer, Measure::Incursions).incursions
    }
}

/// Returns the four numbers with which a report opens.
pub(super) fn metrics(composer: &Composer<'_>, compared: Compared) -> Block {
    Block::Metrics(vec![
        incursions_metric(composer, compared),
        rate_metric(composer, compared),
        acknowledgement_metric(composer, compared),
        measured(composer, compared, Measure::Exposure, Better::Less),
    ])
}

fn incursions_metric(composer: &Composer<'_>, compared: Compared) -> Metric {
    let danger = danger_share(composer, compared.main);
    let metric = measured(composer, compared, Measure::Incursions, Better::Less);
    match danger {
        Some(danger) => Metric { note: format!("{}; {danger}", metric.note), ..metric },
        None => metric,
    }
}

/// Returns how many incursions reached the danger zone, in words.
fn danger_share(composer: &Composer<'_>, answer: &str) -> Option<String> {
    let groups = composer.figures().groups(answer, "by_zone");
    let danger = groups.iter().find(|group| group.key(0) == Some(domain::Zone::Danger.code()))?;
    let number = composer.formats.count(danger.incursions());
    Some(composer.fill(reports::IN_DANGER_ZONE, &[("n", &number)]))
}

fn rate_metric(composer: &Composer<'_>, compared: Compared) -> Metric {
    let measure = Measure::IncursionsPerRuntimeHour;
    let figure = compared.now(composer, measure);
    if figure.value(measure).is_err() {
        // Without runtime, how long incursions last says more than nothing.
        return measured(composer, compared, Measure::AverageDuration, Better::Less);
    }
    let hours = compared.now(composer, Measure::RuntimeHours);
    let hours = composer.formats.value(Measure::RuntimeHours, hours);
    let metric = measured(composer, compared, measure, Better::Less);
    let note = composer.fill(reports::IN_RUNTIME, &[("hours", &hours), ("before", &metric.note)]);
    Metric { note, ..metric }
}

fn acknowledgement_metric(composer: &Composer<'_>, compared: Compared) -> Metric {
    let measure = Measure::AcknowledgementRate;
    let figure = compared.now(composer, measure);
    let metric = measured(composer, compared, measure, Better::More);
    let (part, whole) = (figure.numerator.unwrap_or(0), figure.denominator.unwrap_or(0));
    let (part, whole) = (composer.formats.count(part), composer.formats.count(whole));
    let values = [("n", part.as_str()), ("total", &whole), ("before", &metric.note)];
    Metric { note: composer.fill(reports::N_OF_TOTAL_BEFORE, &values), ..metric }
}

/// Returns a measure with its change and its earlier value.
pub(super) fn measured(
    composer: &Composer<'_>,
    compared: Compared,
    measure: Measure,
    better: Better,
) -> Metric {
    let (now, before) = (compared.now(composer, measure), compared.before(composer, measure));
    let counts = (compared.incursions(composer), compared.incursions_before(composer));
    let values = now.value(measure).ok().zip(before.value(measure).ok());
    let values = values.filter(|_| composer.is_comparable());
    let earlier = match compared.is_first(composer) {
        true => NO_VALUE.to_owned(),
        false => composer.formats.value(measure, before),
    };
    Metric {
        label: composer.measure(measure).to_owned(),
        value: composer.formats.value(measure, now),
        change: values.and_then(|values| match measure {
            Measure::AcknowledgementRate => composer.formats.change_of_ratio(values, counts, better),
            _ => composer.formats.change(values, counts, better),
        }),
        note: composer.fill(reports::PREVIOUSLY, &[("value", &earlier)]),
    }
}

/// Says what changed most against the period before.
pub(super) fn what_changed(composer: &Composer<'_>, compared: Compared) -> Finding {
    let heading = composer.text(reports::WHAT_CHANGED);
    let (now, before) = (compared.incursions(composer), compared.incursions_before(composer));
    let counts = [("n", composer.formats.count(now)), ("before", composer.formats.count(before))];
    let counts: Vec<(&str, &str)> = counts.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let no_change = match (now.max(before) < MIN_INCURSIONS, composer.is_comparable()) {
        (true, _) => Some((reports::TOO_FEW_TO_TELL, reports::COUNTS_OF_BOTH)),
        (false, false) => Some((reports::NOT_COMPARABLE, reports::COUNTS_OF_BOTH)),
        (false, true) if compared.is_first(composer) => {
            Some((reports::NOTHING_BEFORE, reports::COUNT_OF_NOW))
        }
        (false, true) => None,
    };
    if let Some((no_change, evidence)) = no_change {
        let text = Text::plain(composer.text(no_change));
        let evidence = composer.fill(evidence, &counts);
        return Finding { tone: Tone::Plain, heading, text, evidence };
    }
    let mut changes: Vec<Change> = Vec::new();
    changes.extend(rate_change(composer, compared));
    changes.extend(acknowledgement_change(composer, compared));
    changes.extend(part_change(composer, compared));
    // The first of equal ones, so that the same figures always give the same text.
    let largest =
        changes.into_iter().reduce(|best, next| if next.weight > best.weight { next } else { best });
    match largest.filter(|change| change.weight >= MIN_CHANGE) {
        Some(change) => Finding { tone: change.tone, heading, text: change.text, evidence: change.evidence },
        None => Finding {
            tone: Tone::Plain,
            heading,
            text: Text::plain(composer.text(reports::LITTLE_CHANGED)),
            evidence: composer.fill(reports::COUNTS_OF_BOTH, &counts),
        },
    }
}

/// The change of incursions by runtime hour or, without runtime, of incursions.
fn rate_change(composer: &Composer<'_>, compared: Compared) -> Option<Change> {
    if compared.incursions_before(composer) == 0 {
        return Some(first_incursions(composer, compared));
    }
    let of = |measure| {
        let (now, before) = (compared.now(composer, measure), compared.before(composer, measure));
        now.value(measure).ok().zip(before.value(measure).ok()).filter(|(_, before)| *before > 0.0)
    };
    let rate = Measure::IncursionsPerRuntimeHour;
    let (measure, (now, before)) = match of(rate) {
        Some(values) => (rate, values),
        None => (Measure::Incursions, of(Measure::Incursions)?),
    };
    let rises = now > before;
    let text = match (measure, rises) {
        (Measure::Incursions, true) => reports::COUNT_ROSE,
        (Measure::Incursions, false) => reports::COUNT_FELL,
        (_, true) => reports::RATE_ROSE,
        (_, false) => reports::RATE_FELL,
    };
    let formats = composer.formats;
    let values = (formats.number(measure, now), formats.number(measure, before));
    let counts = (compared.incursions(composer), compared.incursions_before(composer));
    let evidence = match measure {
        Measure::Incursions => {
            let (now, before) = (formats.count(counts.0), formats.count(counts.1));
            composer.fill(reports::COUNTS_OF_BOTH, &[("n", &now), ("before", &before)])
        }
        _ => {
            let hours = |figure: Figure| formats.value(Measure::RuntimeHours, figure);
            let hours_now = hours(compared.now(composer, Measure::RuntimeHours));
            let hours_before = hours(compared.before(composer, Measure::RuntimeHours));
            let (now, before) = (formats.count(counts.0), formats.count(counts.1));
            let values = [
                ("n", now.as_str()),
                ("hours", &hours_now),
                ("before", &before),
                ("hours_before", &hours_before),
            ];
            composer.fill(reports::RUNTIME_OF_BOTH, &values)
        }
    };
    Some(Change {
        weight: (now / before - 1.0).abs(),
        text: composer.sentence(text, &[], &[("now", &values.0), ("before", &values.1)]),
        evidence,
        tone: if rises { Tone::Danger } else { Tone::Good },
    })
}

/// The change from none, which no share describes.
fn first_incursions(composer: &Composer<'_>, compared: Compared) -> Change {
    let (now, none) = (composer.formats.count(compared.incursions(composer)), composer.formats.count(0));
    Change {
        weight: f64::INFINITY,
        text: composer.sentence(reports::COUNT_ROSE, &[], &[("now", &now), ("before", &none)]),
        evidence: composer.fill(reports::COUNTS_OF_BOTH, &[("n", &now), ("before", &none)]),
        tone: Tone::Danger,
    }
}

fn acknowledgement_change(composer: &Composer<'_>, compared: Compared) -> Option<Change> {
    let measure = Measure::AcknowledgementRate;
    let (now, before) = (compared.now(composer, measure), compared.before(composer, measure));
    let (rate, rate_before) = (now.value(measure).ok()?, before.value(measure).ok()?);
    let rises = rate > rate_before;
    let text = if rises { reports::ACKNOWLEDGED_ROSE } else { reports::ACKNOWLEDGED_FELL };
    let formats = composer.formats;
    let count = |number: Option<i64>| formats.count(number.unwrap_or(0));
    let (part, whole) = (count(now.numerator), count(now.denominator));
    let (part_before, whole_before) = (count(before.numerator), count(before.denominator));
    let values =
        [("n", part.as_str()), ("total", &whole), ("before", &part_before), ("total_before", &whole_before)];
    Some(Change {
        weight: (rate - rate_before).abs(),
        text: composer.sentence(
            text,
            &[],
            &[("now", &formats.ratio(rate)), ("before", &formats.ratio(rate_before))],
        ),
        evidence: composer.fill(reports::ACKNOWLEDGED_OF_BOTH, &values),
        tone: if rises { Tone::Good } else { Tone::Danger },
    })
}

/// The part with the largest change, such as a machine.
fn part_change(composer: &Composer<'_>, compared: Compared) -> Option<Change> {
    let (grouping, dimension) = compared.parts?;
    let before = composer.figures().groups(compared.previous, grouping);
    let earlier =
        |key: Option<i64>| before.iter().find(|group| group.key(0) == key).map_or(0, GroupView::incursions);
    let mut largest: Option<(i64, i64, i64)> = None;
    for group in composer.figures().groups(compared.main, grouping) {
        let Some(key) = group.key(0) else { continue };
        let (now, before) = (group.incursions(), earlier(Some(key)));
        let is_larger =
            largest.is_none_or(|(_, now_of, before_of)| (now - before).abs() > (now_of - before_of).abs());
        if now.max(before) >= MIN_INCURSIONS && is_larger {
            largest = Some((key, now, before));
        }
    }
    let (key, now, before) = largest?;
    let total = compared.incursions(composer).max(compared.incursions_before(composer)).max(1);
    let formats = composer.formats;
    let name = composer.label(dimension, Some(key));
    let (now_text, before_text) = (formats.count(now), formats.count(before));
    let (all, all_before) = (compared.incursions(composer), compared.incursions_before(composer));
    let (all, all_before) = (formats.count(all), formats.count(all_before));
    let values = [("n", now_text.as_str()), ("before", &before_text)];
    let text = if now > before { reports::PART_ROSE } else { reports::PART_FELL };
    Some(Change {
        weight: (now - before).abs() as f64 / total as f64,
        text: composer.sentence(text, &[("name", &name)], &values),
        evidence: composer.fill(reports::OF_ALL_OF_BOTH, &[("n", &all), ("before", &all_before)]),
        tone: if now > before { Tone::Danger } else { Tone::Good },
    })
}
