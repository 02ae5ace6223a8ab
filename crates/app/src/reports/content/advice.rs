//! What to do about the findings. Each piece of advice rests on a number, and none states a cause.

use documents::{Finding, Text, Tone};
use domain::ReportKind;
use domain::insights::{Dimension, Figure, Measure};
use statistics::wilson_interval;
use texts::reports;

use super::composer::Composer;
use super::period_end::PeriodEnd;
use super::summary::Compared;
use super::worst::{Concentration, Place, clock_hour};
use crate::reports::thresholds::MIN_INCURSIONS;

/// The goal for acknowledgement rates. A rate that is clearly lower calls for a talk.
const ACKNOWLEDGEMENT_GOAL: f64 = 0.8;
/// How sure it must be that a rate is lower than another one.
const CONFIDENCE: f64 = 0.95;
/// So many pieces of advice fit on the first page.
const MAX_ADVICE: usize = 2;

/// Says what to do: first about what is worst, then about acknowledgements and devices.
pub(super) fn findings(
    composer: &Composer<'_>,
    compared: Compared,
    worst: Option<&Concentration>,
) -> Vec<Finding> {
    let mut advice = Vec::new();
    advice.extend(worst.map(|worst| about_worst(composer, worst)));
    advice.extend(about_acknowledgements(composer, compared));
    advice.extend(about_silent_stations(composer));
    advice.truncate(MAX_ADVICE);
    if advice.is_empty() {
        advice.push(nothing_to_do(composer, compared));
    }
    advice
}

/// Returns a piece of advice.
pub(super) fn advice(
    composer: &Composer<'_>,
    tone: Tone,
    text: impl Into<Text>,
    evidence: String,
) -> Finding {
    Finding { tone, heading: composer.text(reports::WHAT_TO_DO), text: text.into(), evidence }
}

fn about_worst(composer: &Composer<'_>, worst: &Concentration) -> Finding {
    let text = match &worst.place {
        Place::Part(dimension, key) => {
            let text = match dimension {
                Dimension::Worksite => reports::ACT_WORKSITE,
                Dimension::Pedestrian => reports::ACT_PEDESTRIAN,
                Dimension::Operator => reports::ACT_OPERATOR,
                _ => reports::ACT_MACHINE,
            };
            composer.sentence(text, &[("name", &composer.label(*dimension, Some(*key)))], &[])
        }
        Place::Hours { from, to } => {
            let (from, to) = (clock_hour(*from), clock_hour(*to));
            composer.sentence(reports::ACT_HOUR, &[], &[("from", &from), ("to", &to)])
        }
        Place::Hexagon => Text::plain(composer.text(reports::ACT_PLACE)),
        Place::Pair { machine, person } => {
            let machine = composer.label(Dimension::Machine, Some(*machine));
            let person = composer.label(Dimension::Pedestrian, Some(*person));
            composer.sentence(reports::ACT_PAIR, &[("machine", &machine), ("person", &person)], &[])
        }
    };
    let formats = composer.formats;
    let (count, total) = (formats.count(worst.count), formats.count(worst.total));
    let share = formats.share(worst.count, worst.total);
    let values = [("n", count.as_str()), ("total", &total), ("share", &share)];
    advice(composer, Tone::Warning, text, composer.fill(reports::CONCERNS, &values))
}

/// Advises to talk about acknowledgements: with the operators of a machine whose rate is clearly lower than that of the others, or else
/// in general.
fn about_acknowledgements(composer: &Composer<'_>, compared: Compared) -> Option<Finding> {
    let measure = Measure::AcknowledgementRate;
    let total = composer.figures().total(compared.main, measure);
    if let Some((machine, own, others)) = machine_with_low_rate(composer, compared.main, total) {
        let name = composer.label(Dimension::Machine, Some(machine));
        let text = composer.sentence(reports::ACT_ACKNOWLEDGE_MACHINE, &[("name", &name)], &[]);
        let (n, of, rate) = written(composer, own);
        let (others, others_total, others_rate) = written(composer, others);
        let values = [
            ("n", n.as_str()),
            ("total", &of),
            ("rate", &rate),
            ("others", &others),
            ("others_total", &others_total),
            ("others_rate", &others_rate),
        ];
        let evidence = composer.fill(reports::ACKNOWLEDGED_HERE_AND_ELSEWHERE, &values);
        return Some(advice(composer, Tone::Warning, text, evidence));
    }
    if !is_clearly_below(total, ACKNOWLEDGEMENT_GOAL, 1) {
        return None;
    }
    let (n, of, rate) = written(composer, total);
    let before = composer.formats.value(measure, composer.figures().total(compared.previous, measure));
    let goal = texts::percent(composer.language(), ACKNOWLEDGEMENT_GOAL, 0);
    let values = [("n", n.as_str()), ("total", &of), ("rate", &rate), ("before", &before), ("goal", &goal)];
    let evidence = composer.fill(reports::ACKNOWLEDGED_BELOW_GOAL, &values);
    Some(advice(composer, Tone::Warning, whom_to_talk_with(composer, compared), evidence))
}

/// Returns numerator, denominator and rate as they are written.
fn written(composer: &Composer<'_>, rate: Figure) -> (String, String, String) {
    let count = |number: Option<i64>| composer.formats.count(number.unwrap_or(0));
    let value = composer.formats.value(Measure::AcknowledgementRate, rate);
    (count(rate.numerator), count(rate.denominator), value)
}

/// Says with whom to talk about acknowledgements: with whom the report is about, if they are to acknowledge.
fn whom_to_talk_with(composer: &Composer<'_>, compared: Compared) -> Text {
    let request = &composer.content.request;
    let (text, name) = match (request.kind, request.subject.person, request.subject.machine) {
        (ReportKind::Person, Some(person), _) if compared.is_driving() => {
            (reports::ACT_ACKNOWLEDGE_PERSON, composer.label(Dimension::Pedestrian, Some(person.0)))
        }
        (_, _, Some(machine)) => {
            (reports::ACT_ACKNOWLEDGE_MACHINE, composer.label(Dimension::Machine, Some(machine.0)))
        }
        _ => return Text::plain(composer.text(reports::ACT_ACKNOWLEDGE)),
    };
    composer.sentence(text, &[("name", &name)], &[])
}

/// Returns the machine with most unacknowledged incursions among those whose rate is clearly below the goal and below that of the other
/// machines together, with both rates.
fn machine_with_low_rate(
    composer: &Composer<'_>,
    answer: &str,
    total: Figure,
) -> Option<(i64, Figure, Figure)> {
    let (figures, rate) = (composer.figures(), Measure::AcknowledgementRate);
    let machines = figures.groups(answer, "by_machine");
    let candidates = machines.len() as u64 + figures.more(answer, "by_machine");
    let low = machines.iter().filter_map(|group| {
        let own = group.figure(rate);
        let others = without(total, own)?;
        let limit = others.value(rate).ok()?.min(ACKNOWLEDGEMENT_GOAL);
        is_clearly_below(own, limit, candidates).then_some((group.key(0)?, own, others))
    });
    let open = |rate: &Figure| rate.denominator.unwrap_or(0) - rate.numerator.unwrap_or(0);
    low.reduce(|best, next| if open(&next.1) > open(&best.1) { next } else { best })
}

/// Returns a rate without a part of it; none if too little remains to compare with.
fn without(all: Figure, part: Figure) -> Option<Figure> {
    let rest = Figure {
        numerator: Some(all.numerator? - part.numerator?),
        denominator: Some(all.denominator? - part.denominator?),
        incursions: all.incursions - part.incursions,
    };
    rest.denominator.filter(|incursions| *incursions >= MIN_INCURSIONS).map(|_| rest)
}

/// Returns whether a rate rests on enough incursions and is lower than a limit by more than chance explains, if it was chosen among so many.
fn is_clearly_below(rate: Figure, limit: f64, candidates: u64) -> bool {
    let (Some(part), Some(whole)) = (rate.numerator, rate.denominator) else { return false };
    let confidence = 1.0 - (1.0 - CONFIDENCE) / candidates.max(1) as f64;
    let interval = wilson_interval(part.unsigned_abs(), whole.unsigned_abs(), confidence);
    whole >= MIN_INCURSIONS && interval.is_some_and(|interval| interval.high < limit)
}

fn about_silent_stations(composer: &Composer<'_>) -> Option<Finding> {
    let figures = composer.figures();
    let first = figures.silent.first()?;
    let number = i64::try_from(figures.silent.len()).unwrap_or(i64::MAX);
    let name = composer.label(Dimension::BaseStation, Some(first.base_station));
    let text = composer.counted_sentence(reports::ACT_SILENT, number, &[("name", &name)]);
    let hours = composer.formats.count(figures.silence_limit_hours);
    let evidence = composer.counted(reports::SILENT_FOR, number, &[("hours", &hours)]);
    Some(advice(composer, Tone::Warning, text, evidence))
}

/// Says that nothing calls for a change, or that there is nothing to judge by: no data are no all-clear.
fn nothing_to_do(composer: &Composer<'_>, compared: Compared) -> Finding {
    let (figures, formats) = (composer.figures(), composer.formats);
    let total = figures.total(compared.main, Measure::AcknowledgementRate);
    let (number, rate) =
        (formats.count(total.incursions), formats.value(Measure::AcknowledgementRate, total));
    let runtime = figures.total(compared.main, Measure::RuntimeHours);
    let (tone, text, evidence) = match total.incursions {
        0 if runtime.numerator.unwrap_or(0) > 0 => {
            let hours = formats.value(Measure::RuntimeHours, runtime);
            let evidence = composer.fill(reports::NO_INCURSIONS_IN_RUNTIME, &[("hours", &hours)]);
            (Tone::Good, reports::ACT_NOTHING, evidence)
        }
        0 => {
            let is_early = PeriodEnd::of(composer) == PeriodEnd::NotBegun;
            let text = if is_early { reports::ACT_NOT_BEGUN } else { reports::ACT_NO_DATA };
            (Tone::Plain, text, composer.text(reports::NOTHING_RECORDED))
        }
        some => {
            let (tone, text) = match some < MIN_INCURSIONS {
                true => (Tone::Plain, reports::ACT_TOO_FEW),
                false => (Tone::Good, reports::ACT_NOTHING),
            };
            (tone, text, composer.fill(reports::INCURSIONS_AND_RATE, &[("n", &number), ("rate", &rate)]))
        }
    };
    advice(composer, tone, composer.text(text), evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(part: i64, whole: i64) -> Figure {
        Figure { numerator: Some(part), denominator: Some(whole), incursions: whole }
    }

    #[test]
    fn a_rate_is_low_only_beyond_chance() {
        assert!(is_clearly_below(rate(0, 10), 0.5, 3));
        assert!(is_clearly_below(rate(477, 766), 0.8, 1));
        // Too few, by chance, and by chance because it was chosen among many.
        assert!(!is_clearly_below(rate(0, 9), 0.5, 1));
        assert!(!is_clearly_below(rate(12, 23), 0.56, 1));
        assert!(!is_clearly_below(rate(7, 10), 0.8, 1));
        assert!(is_clearly_below(rate(30, 100), 0.42, 1) && !is_clearly_below(rate(30, 100), 0.42, 30));
        assert!(!is_clearly_below(Figure::default(), 0.8, 1));
    }

    #[test]
    fn a_rate_is_compared_with_that_of_the_others() {
        assert_eq!(without(rate(20, 45), rate(0, 10)), Some(rate(20, 35)));
        assert_eq!(without(rate(20, 45), rate(20, 45)), None);
        assert_eq!(without(rate(20, 45), rate(10, 36)), None);
    }
}
