//! `keepclear import events`: history of any age, from a file of any size.
//!
//! What is known already changes nothing, so that a file may be brought in again, and an interrupted import begun anew. A
//! thread reads ahead while the store commits.

use std::path::PathBuf;
use std::sync::Arc;

use app::{App, Arrival, MOST_EVENTS, Run, Taken, Verdict};
use domain::{Name, TimeWindow};
use futures_util::stream::{FuturesOrdered, StreamExt};
use store::Brand;
use tokio::sync::mpsc;

use super::batches::{self, Batch, Part};
use super::lines::{self, Bytes};
use super::report::Report;
use crate::commands::progress::{Progress, a_second, grouped};
use crate::commands::{Failure, asked_to_stop, say};

/// How many batches are read ahead, and how many are on their way into the store.
const AHEAD: usize = 2;
const UNDER_WAY: usize = 3;

/// What is brought in.
pub struct EventFile {
    /// The brand it belongs to.
    pub brand: Name,
    /// The file.
    pub path: PathBuf,
    /// The first line that is looked at.
    pub from_line: u64,
}

/// Brings the events of a file in, and reports what was refused.
pub async fn events(app: &Arc<App>, file: EventFile, run: Run) -> Result<(), Failure> {
    let stop = asked_to_stop()?;
    let brand = app.find_brand(&file.brand).await?;
    let bytes = Bytes::default();
    let opened = lines::open(&file.path, bytes.clone())?;
    let size = std::fs::metadata(&file.path)?.len();
    let window = TimeWindow::of_imports(app.clock.now());
    let part = Part { window, from_line: file.from_line, size: MOST_EVENTS };
    let (sender, batches) = mpsc::channel(AHEAD);
    let reader = tokio::task::spawn_blocking(move || batches::read(opened, part, &sender));
    let mut import = Import { app, brand, run, report: Report::default(), done: 0 };
    let mut progress = Progress::new(&app.clock, size, "bytes");
    let end = tokio::select! {
        end = import.take(batches, &bytes, &mut progress) => end,
        () = stop => Err(Failure("it was interrupted".to_owned())),
    };
    let seconds = progress.finish();
    if let Err(Failure(reason)) = end {
        let Import { done, .. } = import;
        return Err(match run {
            Run::Real => Failure(format!(
                "{reason}; everything up to line {done} is done: go on with --from-line {}",
                done + 1
            )),
            Run::Dry => Failure(reason),
        });
    }
    reader.await.map_err(|error| Failure(format!("reading came to an end: {error}")))?;
    tell(import.report, run, seconds)
}

struct Import<'a> {
    app: &'a Arc<App>,
    brand: Brand,
    run: Run,
    report: Report,
    /// Everything up to this line is done.
    done: u64,
}

impl Import<'_> {
    async fn take(
        &mut self,
        mut batches: mpsc::Receiver<Result<Batch, Failure>>,
        bytes: &Bytes,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let mut under_way = FuturesOrdered::new();
        let mut is_read = false;
        while !is_read || !under_way.is_empty() {
            tokio::select! {
                next = batches.recv(), if !is_read && under_way.len() < UNDER_WAY => {
                    let Some(batch) = next else { is_read = true; continue };
                    under_way.push_back(bring_in(self.app, &self.brand, self.run, batch?));
                }
                Some(outcome) = under_way.next() => {
                    let (lines, verdicts, refused, last) = outcome?;
                    for (line, invalid) in refused {
                        self.report.refuse(line, invalid);
                    }
                    for (line, verdict) in lines.into_iter().zip(verdicts) {
                        match verdict {
                            Verdict::Accepted => self.report.accepted += 1,
                            Verdict::Duplicate => self.report.known += 1,
                            Verdict::Rejected(invalid) => self.report.refuse(line, invalid),
                        }
                    }
                    self.done = self.done.max(last);
                    let (lines, refused) = (grouped(self.report.lines()), grouped(self.report.refused()));
                    progress.at(bytes.read(), &format!("{lines} lines, {refused} refused"));
                }
            }
        }
        Ok(())
    }
}

/// The lines of the events of a batch, what became of them, the lines that were refused before, and the last line of all.
type Outcome = (Vec<u64>, Vec<Verdict>, Vec<(u64, domain::Invalid)>, u64);

async fn bring_in(app: &Arc<App>, brand: &Brand, run: Run, batch: Batch) -> Result<Outcome, Failure> {
    let (lines, events): (Vec<u64>, Vec<_>) = batch.events.into_iter().unzip();
    let verdicts = match run {
        Run::Dry => app.rehearse(brand, &events).await?,
        Run::Real => {
            let received_at = app.clock.now();
            let arrivals = events.into_iter().map(|event| Arrival { event, received_at }).collect();
            let Taken { verdicts, .. } = app.bring_in(brand.id, arrivals).await?;
            verdicts
        }
    };
    Ok((lines, verdicts, batch.refused, batch.last))
}

fn tell(report: Report, run: Run, seconds: f64) -> Result<(), Failure> {
    let (accepted, known, refused) =
        (grouped(report.accepted), grouped(report.known), grouped(report.refused()));
    let lines = report.lines();
    let (all, rate) = (grouped(lines), grouped(a_second(lines, seconds)));
    say(&match run {
        Run::Dry => format!(
            "Of {all} events {accepted} would be taken, {refused} refused. Nothing was kept: this was a dry run."
        ),
        Run::Real => format!(
            "Of {all} events {accepted} were new, {known} known, {refused} refused, in {seconds:.1} s: {rate} a second."
        ),
    })?;
    let is_clean = report.refused() == 0;
    for line in report.told() {
        say(&line)?;
    }
    if is_clean { Ok(()) } else { Err(Failure(format!("{refused} events were refused"))) }
}
