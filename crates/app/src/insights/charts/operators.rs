//! Operators of machines over time: runtime pieces, merged where one continues another.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Group, Groups, IncursionFilter};
use domain::{MachineId, PeriodBound, SortedSet, Span, TimeZone, Timestamp};
use store::MachineRuntimePiece;

use super::Chart;
use crate::insights::labels::Labelled;
use crate::{App, Caller, Error};

#[derive(Clone, Debug)]
pub struct DrivenMachine {
    /// The id of the machine, as text.
    pub key: String,
    pub label: String,
    /// In order of time.
    pub spans: Vec<DrivenSpan>,
}

/// A span during which a machine ran with the same operator.
#[derive(Clone, Debug)]
pub struct DrivenSpan {
    pub from: Timestamp,
    pub to: Timestamp,
    /// The start in local time of the worksite, in seconds since 1970-01-01 00:00 of that clock.
    pub local_from_s: i64,
    /// Absent if unknown.
    pub operator: Option<Labelled>,
}

/// Maximum number of runtime pieces that are read.
const MAX_PIECES: usize = 50_000;

impl App {
    /// Returns the operators of the machines in a runtime chart.
    pub(super) async fn driven_machines(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        chart: &Chart,
    ) -> Result<Vec<DrivenMachine>, Error> {
        // A filter by pedestrian cannot select runtime.
        let has_runtime =
            chart.series.iter().flat_map(|series| &series.points).any(|point| point.value.is_ok());
        let ids: Vec<MachineId> =
            chart.series.iter().filter_map(|series| series.key.parse().ok()).map(MachineId).collect();
        if !has_runtime || ids.is_empty() {
            return Ok(Vec::new());
        }
        let pieces = self.runtime_pieces(caller, filter, &chart.result, &ids, MAX_PIECES).await?;
        let drivers: SortedSet<i64> =
            pieces.iter().filter_map(|piece| piece.operator).map(|id| id.0).collect();
        let keys = drivers.into_iter().map(|id| Group { keys: vec![Some(id)], figures: Vec::new() });
        let drivers = Groups { groups: keys.collect(), more: 0 };
        let labels = self.load_labels(caller, [(&[Dimension::Operator][..], &drivers)]).await?;
        let mut machines = Vec::new();
        for series in &chart.series {
            let Ok(id) = series.key.parse().map(MachineId) else { continue };
            let own = pieces.iter().filter(|piece| piece.machine == id);
            let spans = merge_pieces(own, (chart.result.from, chart.result.to), &chart.result.time_zones);
            let spans = spans.into_iter().map(|(piece, local_from_s)| DrivenSpan {
                from: piece.started_at,
                to: piece.ended_at,
                local_from_s,
                operator: piece.operator.map(|driver| labels.label(Dimension::Operator, Some(driver.0))),
            });
            let spans: Vec<DrivenSpan> = spans.collect();
            if !spans.is_empty() {
                machines.push(DrivenMachine { key: series.key.clone(), label: series.label.clone(), spans });
            }
        }
        Ok(machines)
    }
}

/// Merges consecutive pieces of one machine with the same operator, cut to the period.
fn merge_pieces<'a>(
    pieces: impl Iterator<Item = &'a MachineRuntimePiece>,
    (from, to): (PeriodBound, PeriodBound),
    zones: &[TimeZone],
) -> Vec<(MachineRuntimePiece, i64)> {
    let mut spans: Vec<(MachineRuntimePiece, i64)> = Vec::new();
    for piece in pieces {
        let mut piece = piece.clone();
        if let PeriodBound::Instant(at) = from {
            piece.started_at = piece.started_at.max(at);
        }
        if let PeriodBound::Instant(at) = to {
            piece.ended_at = piece.ended_at.min(at);
        }
        if piece.ended_at <= piece.started_at {
            continue;
        }
        match spans
            .iter_mut()
            .rev()
            .take(4)
            .find(|(last, _)| last.ended_at == piece.started_at && last.operator == piece.operator)
        {
            Some((last, _)) => last.ended_at = piece.ended_at,
            None => {
                let local = local_start_s(&piece, zones);
                spans.push((piece, local));
            }
        }
    }
    spans
}

/// Returns the local start of a piece, using the time zone that agrees with the local day and hour stored in the piece.
fn local_start_s(piece: &MachineRuntimePiece, zones: &[TimeZone]) -> i64 {
    let at = piece.started_at;
    let shown = zones.iter().map(|zone| zone.local(at));
    let fits = |local: &domain::LocalTime| local.day == piece.local_day && local.hour() == piece.local_hour;
    match shown.into_iter().find(fits) {
        Some(local) => local.day * 86_400 + local.second_of_day,
        None => {
            let hour = Span::minutes(60).whole_seconds();
            piece.local_day * 86_400 + piece.local_hour * hour + at.seconds().rem_euclid(hour)
        }
    }
}
