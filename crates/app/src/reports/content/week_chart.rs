//! The chart of the hours of the week.

use ::charts::WeekMatrix;
use documents::Block;
use domain::SortedMap;
use domain::insights::{ChartKind, Figure, HoursOfWeek, Measure};
use texts::reports;

use super::charts::{DrawnSize, plain_chart, series, sized_figure};
use super::composer::Composer;
use crate::insights::{ChartPoint, ChartPosition, ChartSeries, Labelled, LabelledId};
use crate::reports::figures::GroupView;

/// The height of the drawing, in its pixels.
const HEIGHT: u32 = 300;

/// Draws incursions by day of the week and hour.
pub(super) fn hours_of_week(composer: &Composer<'_>, answer: &str) -> Option<Block> {
    let groups = composer.figures().groups(answer, "by_hour");
    let fullest =
        groups.iter().reduce(|best, next| if next.incursions() > best.incursions() { next } else { best });
    let fullest = fullest.filter(|group| group.incursions() > 0)?;
    let found: SortedMap<(i64, i64), Figure> = groups
        .iter()
        .filter_map(|group| Some(((group.key(0)?, group.key(1)?), group.figure(Measure::Incursions))))
        .collect();
    let none = Figure { numerator: Some(0), denominator: None, incursions: 0 };
    let result = composer.figures().answer(answer)?.result();
    let covered = HoursOfWeek::of(result.from, result.to, result.now, &result.time_zones);
    let week = (0..7).map(|weekday: i64| {
        let points = (0..24).map(|hour: i64| {
            let part = Labelled { id: LabelledId::Number(hour), label: format!("{hour:02}:00") };
            let position = ChartPosition::Part(part);
            let figure = found.get(&(weekday, hour)).copied();
            let point = match (figure, covered.no_value_reason(weekday, hour)) {
                (None, Some(reason)) => ChartPoint::without_value(position, reason),
                (figure, _) => ChartPoint::new(position, Measure::Incursions, figure.unwrap_or(none)),
            };
            ChartPoint { partial: covered.is_partial(weekday, hour), ..point }
        });
        ChartSeries { key: (weekday + 1).to_string(), ..series(Measure::Incursions, points.collect()) }
    });
    let (day, hour) = (fullest.key(0).unwrap_or(0), fullest.key(1).unwrap_or(0));
    let (from, to) = (super::worst::clock_hour(hour), super::worst::clock_hour(hour + 1));
    let total: i64 = groups.iter().map(GroupView::incursions).sum();
    let (count, total) = (composer.formats.count(fullest.incursions()), composer.formats.count(total));
    let values = [
        ("weekday", texts::values::weekday(composer.language(), day)),
        ("from", &from),
        ("to", &to),
        ("n", &count),
        ("total", &total),
    ];
    let caption = composer.fill(reports::BUSIEST_HOUR_OF_WEEK, &values);
    let chart = plain_chart(ChartKind::HoursOfWeek, week.collect(), result);
    let (width, low_height) = WeekMatrix::size_for_numbers(fullest.incursions() as f64);
    let size = DrawnSize { width, height: HEIGHT, low_height };
    Some(sized_figure(composer, &chart, size, caption, 0.36))
}
