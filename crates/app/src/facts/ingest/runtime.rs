//! Ingest of runtime: reports are stored as they are, and the runtime pieces around them are rebuilt.

use std::collections::BTreeMap;

use domain::{BaseStationId, EventPayload, SortedMap, TagId, Timestamp};
use store::{ReceivedRuntime, ReportedRuntime, RuntimeWindow};

use super::batch_context::BatchContext;
use super::events::{EventOutcome, ResolvedEvent};
use super::runtime_pieces::{merge_time_ranges, rebuild_pieces};
use crate::Error;

/// The reports of a batch by their key.
type ReportsByKey = BTreeMap<(BaseStationId, Timestamp, Option<TagId>), BatchReport>;

/// A report that may come several times in a batch, as it grew.
struct BatchReport {
    /// The latest one.
    ended_at: Timestamp,
    first_received_at: Timestamp,
    last_received_at: Timestamp,
    /// Of its events.
    indexes: Vec<usize>,
}

/// Stores runtime.
pub(super) async fn ingest(
    context: &mut BatchContext<'_>,
    events: &[ResolvedEvent<'_>],
) -> Result<(), Error> {
    let mut reports = ReportsByKey::new();
    for event in events {
        let EventPayload::Runtime(report) = &event.received.event.payload else { continue };
        let operator_tag = report.operator_tag.as_ref().and_then(|serial| context.links.tag(serial));
        let key = (event.station, report.started_at, operator_tag);
        let received_at = event.received.received_at;
        let known = reports.entry(key).or_insert(BatchReport {
            ended_at: report.started_at,
            first_received_at: received_at,
            last_received_at: received_at,
            indexes: Vec::new(),
        });
        if report.ended_at <= known.ended_at && !known.indexes.is_empty() {
            context.outcomes[event.index] = EventOutcome::Duplicate;
            continue;
        }
        known.ended_at = report.ended_at.max(known.ended_at);
        known.first_received_at = known.first_received_at.min(received_at);
        known.last_received_at = known.last_received_at.max(received_at);
        known.indexes.push(event.index);
    }
    if reports.is_empty() {
        return Ok(());
    }
    let received: Vec<ReceivedRuntime> = reports
        .iter()
        .map(|((base_station, started_at, operator_tag), known)| ReceivedRuntime {
            report: ReportedRuntime {
                base_station: *base_station,
                started_at: *started_at,
                ended_at: known.ended_at,
                operator_tag: *operator_tag,
            },
            first_received_at: known.first_received_at,
            last_received_at: known.last_received_at,
        })
        .collect();
    let changed_spans = context.tx.runtime(context.scope).record_reports(&received).await?;
    for span in &changed_spans {
        reports.remove(&(span.base_station, span.started_at, span.operator_tag));
    }
    for index in reports.into_values().flat_map(|known| known.indexes) {
        context.outcomes[index] = EventOutcome::Duplicate;
    }
    let touched = changed_spans.iter().map(|span| (span.base_station, (span.started_at, span.ended_at)));
    let windows: Vec<RuntimeWindow> = SortedMap::grouped(touched)
        .into_iter()
        .flat_map(|(base_station, times)| {
            merge_time_ranges(times).into_iter().map(move |(from, to)| RuntimeWindow {
                base_station,
                from,
                to,
            })
        })
        .collect();
    context.last_seq +=
        rebuild_pieces(context.tx, context.scope, context.links, &windows, context.now).await?;
    Ok(())
}
