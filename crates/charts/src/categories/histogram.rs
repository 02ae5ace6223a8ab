//! A histogram with vertical bars and their values on top.

use crate::layout::describe;
use crate::layout::frame::Frame;
use crate::layout::plot::{PlotArea, plot_height, tick_count};
use crate::layout::scale::Scale;
use crate::options::ChartOptions;
use crate::series::Value;
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::number::NumberFormat;
use crate::svg::shape::Rect;
use crate::svg::style::{Style, series_style};
use crate::svg::text::{Weight, clean, fit, width};

#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    /// The range it covers, such as "5–15 s".
    pub label: String,
    pub value: f64,
}

/// The distribution of a quantity over buckets, such as the durations of incursions.
#[derive(Clone, Debug)]
pub struct Histogram {
    /// The unit of the values, such as "incursions".
    pub unit: String,
    /// The unit of the buckets, such as "seconds".
    pub bucket_unit: String,
    /// In display order.
    pub buckets: Vec<Bucket>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

/// Space between neighbouring labels.
const LABEL_GAP: f64 = 4.0;

impl Histogram {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let numbers = picture.translations.numbers;
        let values: Vec<Option<f64>> =
            self.buckets.iter().map(|bucket| Value::Number(bucket.value).number()).collect();
        if values.iter().flatten().all(|&value| value == 0.0) {
            return frame.empty(self.empty_reason.as_deref());
        }
        let total: f64 = values.iter().flatten().sum();
        let label_rows = self.label_rows(&frame, values.iter().flatten().copied().fold(0.0, f64::max));
        // One row more for the unit.
        let rows = label_rows as f64 + 1.0;
        let steps = tick_count(plot_height(&frame, rows));
        let whole = values.iter().flatten().all(|value| value.fract() == 0.0);
        // Leaves room for the value above the highest bar.
        let above = 1.0 + frame.sizes.small * 1.5 / plot_height(&frame, rows);
        let headroom = |value: f64| if whole { (value * above).ceil() } else { value * above };
        let scale = Scale::fit(values.iter().flatten().map(|&value| headroom(value)), steps);
        let plane = PlotArea::draw(&mut frame, scale, &self.unit, None, rows);
        let area = plane.area;
        let each = area.width / self.buckets.len() as f64;
        let small = frame.sizes.small;
        let shares = total > 0.0
            && values.iter().flatten().all(|&value| {
                let text = value_with_share(value, total, numbers);
                value >= 0.0 && width(&text, small, Weight::Regular) <= each - 6.0
            });
        for (index, (bucket, value)) in self.buckets.iter().zip(&values).enumerate() {
            let Some(value) = *value else { continue };
            let left = area.left + each * index as f64;
            let broad = (each * 0.8).min(120.0).max(each * 0.5);
            let (zero, y) = (plane.y(0.0), plane.y(value));
            let bar = Rect::new(left + (each - broad) / 2.0, y.min(zero), broad, (y - zero).abs());
            let share =
                if total > 0.0 { format!(" ({})", numbers.percent(value / total)) } else { String::new() };
            let title =
                format!("{}: {} {}{share}", clean(&bucket.label), numbers.number(value), clean(&self.unit));
            frame.canvas.rect(bar, &Style::solid(series_style(0).paint).with_rounding(2.0), Some(&title));
            let text = if shares { value_with_share(value, total, numbers) } else { numbers.compact(value) };
            if width(&text, small, Weight::Regular) <= each - 2.0
                && y.min(zero) - 4.0 - small > area.top - 4.0
            {
                let label = Label::new(left + each / 2.0, y.min(zero) - 4.0, &text, small);
                frame.canvas.text(&label.anchored(Anchor::Middle));
            }
        }
        plane.draw_baseline(&mut frame);
        self.draw_bucket_labels(&mut frame, area, each, label_rows);
        let summary = self.summary(picture, &values, total);
        frame.close(&summary)
    }

    /// Returns the number of rows for the labels: two, in which they alternate, if they fit there but not in one.
    fn label_rows(&self, frame: &Frame<'_>, highest: f64) -> usize {
        let small = frame.sizes.small;
        let numbers = frame.options.translations.numbers;
        let axis = width(&numbers.number((highest * 1.1).ceil()), small, Weight::Regular) + 8.0;
        let each = (frame.content_area.width - axis - small) / self.buckets.len() as f64;
        let labels = self.buckets.iter().map(|bucket| width(&clean(&bucket.label), small, Weight::Regular));
        let widest = labels.fold(0.0, f64::max);
        if widest > each - LABEL_GAP && widest <= 2.0 * each - LABEL_GAP { 2 } else { 1 }
    }

    /// Labels the buckets, in one or two rows, or every nth of them if not all labels fit.
    fn draw_bucket_labels(&self, frame: &mut Frame<'_>, area: Rect, each: f64, rows: usize) {
        let small = frame.sizes.small;
        let least = width("00–00", small, Weight::Regular);
        let every = if rows > 1 { 1 } else { ((least + 6.0) / each).ceil().max(1.0) as usize };
        for (index, bucket) in self.buckets.iter().enumerate().step_by(every) {
            let middle = area.left + each * (index as f64 + 0.5);
            // Labels are centred, so that the ends of the chart limit them on both sides.
            let edge = (frame.content_area.right() - middle).min(middle - frame.content_area.left);
            let room = (each * (every * rows) as f64 - LABEL_GAP).min(2.0 * edge);
            let fitted = fit(&bucket.label, small, Weight::Regular, room);
            if fitted.text.is_empty() {
                continue;
            }
            let y = area.bottom() + 5.0 + small * (1.0 + 1.35 * (index % rows) as f64);
            let label = Label::new(middle, y, &bucket.label, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle).with_max_width(room));
        }
        let y = area.bottom() + 5.0 + small * (1.0 + 1.35 * rows as f64);
        let unit =
            Label::new(area.left + area.width / 2.0, y, &self.bucket_unit, small).painted(Paint::Muted);
        frame.canvas.text(&unit.anchored(Anchor::Middle).with_max_width(area.width));
    }

    fn summary(&self, picture: &ChartOptions, values: &[Option<f64>], total: f64) -> String {
        let numbers = picture.translations.numbers;
        let parts: Vec<String> = self
            .buckets
            .iter()
            .zip(values)
            .take(24)
            .map(|(bucket, value)| {
                let value = value.map_or("–".to_owned(), |value| numbers.number(value));
                format!("{}: {value}", clean(&bucket.label))
            })
            .collect();
        let values = [
            ("unit", clean(&self.unit)),
            ("by", clean(&self.bucket_unit)),
            ("total", numbers.number(total)),
            ("values", parts.join(", ")),
        ];
        let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
        describe::count(picture, picture.translations.descriptions.histogram, self.buckets.len(), &values)
    }
}

fn value_with_share(value: f64, total: f64, numbers: NumberFormat) -> String {
    format!("{} ({})", numbers.number(value), numbers.percent(value / total))
}
