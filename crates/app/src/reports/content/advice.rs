//! What to do about the findings. Each piece of advice rests on a number, and none states a cause.

use documents::{Finding, Text, Tone};
use domain::insights::{Dimension, Measure};
use texts::reports;

use super::composer::Composer;
use super::formats::MIN_INCURSIONS;
use super::worst::{Concentration, Place, hour_bounds};

/// An acknowledgement rate below this calls for a talk.
const LOW_ACKNOWLEDGEMENT: f64 = 0.8;
/// So many pieces of advice fit on the first page.
const MAX_ADVICE: usize = 2;

/// Says what to do: first about what is worst, then about acknowledgements and devices.
pub(super) fn findings(composer: &Composer<'_>, answer: &str, worst: Option<&Concentration>) -> Vec<Finding> {
    let mut advice = Vec::new();
    advice.extend(worst.map(|worst| about_worst(composer, worst)));
    advice.extend(about_acknowledgements(composer, answer));
    advice.extend(about_silent_stations(composer));
    advice.truncate(MAX_ADVICE);
    if advice.is_empty() {
        advice.push(nothing_to_do(composer, answer));
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
        Place::Hour(hour) => {
            let (from, to) = hour_bounds(*hour);
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

/// Advises to talk about acknowledgements, with the operators of the machine that has most without one, among those that are no better
/// than all together.
fn about_acknowledgements(composer: &Composer<'_>, answer: &str) -> Option<Finding> {
    let (figures, formats) = (composer.figures(), composer.formats);
    let (rate, open) = (Measure::AcknowledgementRate, Measure::Unacknowledged);
    let total = figures.total(answer, rate);
    let value = total.value(rate).ok().filter(|value| *value < LOW_ACKNOWLEDGEMENT)?;
    if total.incursions < MIN_INCURSIONS {
        return None;
    }
    let machines = figures.groups(answer, "by_machine");
    let fullest = machines
        .iter()
        .filter_map(|group| Some((group.key(0)?, group.figure(open).numerator?, group.figure(rate))))
        .filter(|(_, _, figure)| figure.value(rate).is_ok_and(|of_machine| of_machine <= value))
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    let all = formats.ratio(value);
    let (text, figure) = match fullest {
        Some((machine, _, figure)) => {
            let name = composer.label(Dimension::Machine, Some(machine));
            (composer.sentence(reports::ACT_ACKNOWLEDGE_MACHINE, &[("name", &name)], &[]), figure)
        }
        None => (Text::plain(composer.text(reports::ACT_ACKNOWLEDGE)), total),
    };
    let count = |number: Option<i64>| formats.count(number.unwrap_or(0));
    let (part, whole) = (count(figure.numerator), count(figure.denominator));
    let own = formats.value(rate, figure);
    let values = [("n", part.as_str()), ("total", &whole), ("rate", &own), ("all", &all)];
    Some(advice(composer, Tone::Danger, text, composer.fill(reports::ACKNOWLEDGED_HERE_AND_OVERALL, &values)))
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

fn nothing_to_do(composer: &Composer<'_>, answer: &str) -> Finding {
    let total = composer.figures().total(answer, Measure::AcknowledgementRate);
    let number = composer.formats.count(total.incursions);
    let rate = composer.formats.value(Measure::AcknowledgementRate, total);
    let evidence = match total.incursions {
        0 => composer.text(reports::NO_INCURSIONS),
        _ => composer.fill(reports::INCURSIONS_AND_RATE, &[("n", &number), ("rate", &rate)]),
    };
    advice(composer, Tone::Good, composer.text(reports::ACT_NOTHING), evidence)
}
