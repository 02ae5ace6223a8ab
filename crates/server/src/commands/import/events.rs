//! `keepclear import events`: imports events of any age from a file of any size.
//!
//! Known events change nothing, so a file can be imported again, and an interrupted import can be repeated. A thread reads ahead while the
//! store commits.

use std::path::PathBuf;
use std::sync::Arc;

use app::{App, BatchOutcome, EventOutcome, ImportMode, MAX_BATCH_EVENTS, ReceivedEvent};
use domain::{Name, TimeWindow};
use futures_util::stream::{FuturesOrdered, StreamExt};
use store::Brand;
use tokio::sync::mpsc;

use super::batches::{self, Batch, ReadOptions};
use super::lines::{self, BytesRead};
use super::report::Report;
use crate::commands::progress::{Progress, group_digits, per_second};
use crate::commands::{Failure, print_line, shutdown_signal};

/// The number of batches that are read ahead, and the number that are being committed.
const READ_AHEAD_BATCHES: usize = 2;
const MAX_CONCURRENT_BATCHES: usize = 3;

pub struct EventFile {
    pub brand: Name,
    pub path: PathBuf,
    /// The first line to import.
    pub from_line: u64,
}

/// Imports the events of a file, and reports those that were refused.
pub async fn import_events(app: &Arc<App>, file: EventFile, run: ImportMode) -> Result<(), Failure> {
    let stop = shutdown_signal()?;
    let brand = app.find_brand(&file.brand).await?;
    let bytes = BytesRead::default();
    let opened = lines::open(&file.path, bytes.clone())?;
    let size = std::fs::metadata(&file.path)?.len();
    let window = TimeWindow::for_imports(app.clock.now());
    let part = ReadOptions { window, from_line: file.from_line, batch_size: MAX_BATCH_EVENTS };
    let (sender, batches) = mpsc::channel(READ_AHEAD_BATCHES);
    let reader = tokio::task::spawn_blocking(move || batches::read(opened, part, &sender));
    let mut import = EventImport { app, brand, run, report: Report::default(), done_line: 0 };
    let mut progress = Progress::new(&app.clock, size, "bytes");
    let end = tokio::select! {
        end = import.run(batches, &bytes, &mut progress) => end,
        () = stop => Err(Failure("the import was interrupted".to_owned())),
    };
    let seconds = progress.finish();
    if let Err(Failure(reason)) = end {
        let EventImport { done_line: done, .. } = import;
        return Err(match run {
            ImportMode::Commit => Failure(format!(
                "{reason}; all lines up to {done} are done: continue with --from-line {}",
                done + 1
            )),
            ImportMode::DryRun => Failure(reason),
        });
    }
    reader.await.map_err(|error| Failure(format!("reading failed: {error}")))?;
    print_report(import.report, run, seconds)
}

struct EventImport<'a> {
    app: &'a Arc<App>,
    brand: Brand,
    run: ImportMode,
    report: Report,
    /// All lines up to this one are done.
    done_line: u64,
}

impl EventImport<'_> {
    async fn run(
        &mut self,
        mut batches: mpsc::Receiver<Result<Batch, Failure>>,
        bytes: &BytesRead,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let mut in_flight = FuturesOrdered::new();
        let mut is_read = false;
        while !is_read || !in_flight.is_empty() {
            tokio::select! {
                next = batches.recv(), if !is_read && in_flight.len() < MAX_CONCURRENT_BATCHES => {
                    let Some(batch) = next else { is_read = true; continue };
                    in_flight.push_back(import_batch(self.app, &self.brand, self.run, batch?));
                }
                Some(outcome) = in_flight.next() => {
                    let (lines, verdicts, refused, last) = outcome?;
                    for (line, invalid) in refused {
                        self.report.reject(line, invalid);
                    }
                    for (line, verdict) in lines.into_iter().zip(verdicts) {
                        match verdict {
                            EventOutcome::Accepted => self.report.accepted += 1,
                            EventOutcome::Duplicate => self.report.duplicates += 1,
                            EventOutcome::Rejected(invalid) => self.report.reject(line, invalid),
                        }
                    }
                    self.done_line = self.done_line.max(last);
                    let (lines, refused) = (group_digits(self.report.lines()), group_digits(self.report.rejected()));
                    progress.update(bytes.get(), &format!("{lines} lines, {refused} refused"));
                }
            }
        }
        Ok(())
    }
}

/// The line numbers of the events of a batch, their outcomes, the lines that were refused while reading, and the last line.
type ImportedBatch = (Vec<u64>, Vec<EventOutcome>, Vec<(u64, domain::Invalid)>, u64);

async fn import_batch(
    app: &Arc<App>,
    brand: &Brand,
    run: ImportMode,
    batch: Batch,
) -> Result<ImportedBatch, Failure> {
    let (lines, events): (Vec<u64>, Vec<_>) = batch.events.into_iter().unzip();
    let verdicts = match run {
        ImportMode::DryRun => app.dry_run_events(brand, &events).await?,
        ImportMode::Commit => {
            let received_at = app.clock.now();
            let arrivals = events.into_iter().map(|event| ReceivedEvent { event, received_at }).collect();
            let BatchOutcome { outcomes: verdicts, .. } = app.import_events(brand.id, arrivals).await?;
            verdicts
        }
    };
    Ok((lines, verdicts, batch.refused, batch.last_line))
}

fn print_report(report: Report, run: ImportMode, seconds: f64) -> Result<(), Failure> {
    let (accepted, known, refused) =
        (group_digits(report.accepted), group_digits(report.duplicates), group_digits(report.rejected()));
    let lines = report.lines();
    let (all, rate) = (group_digits(lines), group_digits(per_second(lines, seconds)));
    print_line(&match run {
        ImportMode::DryRun => format!(
            "Of {all} events {accepted} would be imported, {refused} refused. Nothing was stored, because this was a dry run."
        ),
        ImportMode::Commit => format!(
            "Of {all} events {accepted} were new, {known} known, {refused} refused, in {seconds:.1} s: {rate} per second."
        ),
    })?;
    let is_clean = report.rejected() == 0;
    for line in report.into_lines() {
        print_line(&line)?;
    }
    if is_clean { Ok(()) } else { Err(Failure(format!("{refused} events were refused"))) }
}
