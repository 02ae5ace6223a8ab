//! The head of a pivot: the names of rows, columns and measures, which sort the rows.

use app::insights::{Labelled, LabelledId, Pivot, PivotRequest, Subtotals};
use domain::insights::{Dimension, GroupOrder, Interval, Measure, PartialBuckets};
use texts::console::explore as t;
use texts::values;

use super::labels;
use crate::frame::Frame;

/// A cell of the head.
pub struct HeadCell {
    pub text: String,
    pub note: Option<&'static str>,
    /// Where it sorts.
    pub href: Option<String>,
    pub sort: Option<&'static str>,
    pub columns: usize,
    pub lines: usize,
    pub class: &'static str,
}

impl HeadCell {
    /// Whether it spans several columns.
    pub fn is_wide(&self) -> bool {
        self.columns > 1
    }

    /// Whether it spans several lines.
    pub fn is_tall(&self) -> bool {
        self.lines > 1
    }

    pub fn sign(&self) -> &'static str {
        match self.sort {
            Some("ascending") => "▴",
            Some("descending") => "▾",
            _ => "",
        }
    }
}

/// Whether subtotals and totals are shown.
pub fn is_told(request: &PivotRequest) -> bool {
    request.subtotals == Subtotals::Shown
}

/// Whether a column for all columns together is added.
pub fn has_all(request: &PivotRequest) -> bool {
    is_told(request) && !request.columns.is_empty()
}

/// Builds the lines of the head: one for each dimension of the columns, and one for the measures.
pub fn head(frame: &Frame, request: &PivotRequest, pivot: &Pivot) -> Vec<Vec<HeadCell>> {
    let (depth, measures) = (request.columns.len(), request.measures.len());
    let by_name = request.rows.iter().map(|dimension| labels::dimension(frame, *dimension));
    let corner = HeadCell {
        text: match request.rows.is_empty() {
            true => frame.text(t::TOTAL).to_owned(),
            false => by_name.collect::<Vec<_>>().join(" › "),
        },
        href: (!request.rows.is_empty()).then(|| frame.here("sort", None)),
        sort: (!request.rows.is_empty() && request.order == GroupOrder::ByKeys).then_some("ascending"),
        lines: depth + 1,
        ..plain_head(String::new(), 1, "t")
    };
    let mut head = vec![vec![corner]];
    for (level, dimension) in request.columns.iter().enumerate() {
        let mut line = Vec::new();
        let partial = partial_of(pivot, *dimension);
        let mut columns = pivot.columns.as_slice();
        // Columns with the same keys down to this level have one head.
        while let Some(first) = columns.first() {
            let same = columns.iter().take_while(|keys| keys.get(..=level) == first.get(..=level)).count();
            if let Some(key) = first.get(level) {
                line.push(HeadCell {
                    note: is_partial(partial.as_ref(), key).then(|| frame.text(t::INCOMPLETE)),
                    ..plain_head(labels::group(frame, *dimension, key), same * measures, "n")
                });
            }
            columns = columns.get(same.max(1)..).unwrap_or_default();
        }
        if level == 0 && has_all(request) {
            let all = plain_head(frame.text(t::ALL_COLUMNS).to_owned(), measures, "n all");
            line.push(HeadCell { lines: depth, ..all });
        }
        match level {
            0 => head[0].extend(line),
            _ => head.push(line),
        }
    }
    let groups = pivot.columns.len() + usize::from(has_all(request));
    // Rows are sorted by what all columns have together.
    let sortable = if has_all(request) || depth == 0 { groups.saturating_sub(1) } else { usize::MAX };
    let mut line = Vec::new();
    for group in 0..groups {
        for (place, measure) in request.measures.iter().enumerate() {
            line.push(measure_head(frame, request, (*measure, place), group == sortable));
        }
    }
    match depth {
        0 => head[0].extend(line),
        _ => head.push(line),
    }
    head
}

/// The head of a measure, which sorts the rows by it.
fn measure_head(
    frame: &Frame,
    request: &PivotRequest,
    (measure, place): (Measure, usize),
    is_sortable: bool,
) -> HeadCell {
    let word = measure.as_str();
    let mut cell = plain_head(values::measure(frame.language, word).to_owned(), 1, "n");
    if is_sortable && !request.rows.is_empty() {
        let (next, sort) = match request.order {
            GroupOrder::Descending(sorted) if sorted == place => (word.to_owned(), "descending"),
            GroupOrder::Ascending(sorted) if sorted == place => (format!("-{word}"), "ascending"),
            _ => (format!("-{word}"), "none"),
        };
        cell.href = Some(frame.here("sort", Some(&next)));
        cell.sort = Some(sort);
    }
    cell
}

fn plain_head(text: String, columns: usize, class: &'static str) -> HeadCell {
    HeadCell { text, note: None, href: None, sort: None, columns, lines: 1, class }
}

/// Returns the incomplete buckets of a dimension of time.
pub fn partial_of(pivot: &Pivot, dimension: Dimension) -> Option<(Interval, PartialBuckets)> {
    let interval = Interval::of_dimension(dimension)?;
    Some((interval, pivot.result.partial_buckets(interval)))
}

/// Whether a key names an incomplete bucket.
pub fn is_partial(partial: Option<&(Interval, PartialBuckets)>, key: &Labelled) -> bool {
    match (partial, &key.id) {
        (Some((interval, buckets)), LabelledId::Word(at)) => {
            interval.parse_label(at).is_some_and(|bucket| buckets.contains(bucket))
        }
        _ => false,
    }
}
