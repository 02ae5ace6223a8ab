//! Makes files on threads of their own, with limited concurrency, a share per tenant and a deadline.

use std::thread::available_parallelism;
use std::time::Duration;

use documents::Limits;
use domain::{Invalid, ProjectId, Report, ReportFormat};
use store::{Grant, Principal, Projects, Scope, Shares, TaskOwner, Tenant};

use super::ReportsConfig;
use super::content::{OwnedContent, build_document, write_json, write_table};
use super::deadline::{Deadline, took_too_long};
use super::figures::ReportFigures;
use super::request::ReportRequest;
use super::size_limits::check_figures;
use crate::{App, Error, ErrorKind, Names};

/// How long a caller waits for a place; a job waits as long as it takes.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Unless the configuration says otherwise, there are at least so many places: with one, a tenant could keep it from all others.
const LEAST_PLACES: usize = 2;

/// Permits for rendering. One tenant may hold three quarters of them, but leaves one to others if there are several.
pub(crate) struct RenderPool {
    shares: Shares<Option<Tenant>>,
    timeout: Duration,
    max_pages: usize,
}

/// A place in which one file is rendered.
pub(super) type RenderPlace = Grant<Option<Tenant>>;

/// Stops the rendering thread when whoever waits for it goes away.
struct AbandonOnDrop(Deadline);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

impl RenderPool {
    pub(crate) fn new(config: &ReportsConfig) -> Self {
        let places = match config.max_concurrent_renders {
            0 => (available_parallelism().map_or(1, usize::from) / 2).max(LEAST_PLACES),
            places => places as usize,
        };
        let per_tenant = if places == 1 { 1 } else { places - (places / 4).max(1) };
        Self {
            shares: Shares::new(places, per_tenant),
            timeout: Duration::from_secs(u64::from(config.render_timeout_s)),
            max_pages: config.max_pages as usize,
        }
    }

    async fn acquire(&self, owner: Option<TaskOwner>) -> Result<RenderPlace, Error> {
        let place = self.shares.acquire(owner.as_ref().map(TaskOwner::tenant));
        // Failing and trying again would only make a job wait longer, behind those that came later.
        if owner.is_none_or(|owner| owner.principal() == Principal::Job) {
            return Ok(place.await);
        }
        tokio::time::timeout(PERMIT_TIMEOUT, place).await.map_err(|_| {
            let detail = "Too many files of reports are being made; try again in a moment.";
            Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(5)
        })
    }

    /// Returns the deadline of work that begins now.
    fn deadline(&self) -> Deadline {
        Deadline::after(self.timeout)
    }

    /// Runs work that asks for its deadline.
    async fn run<T: Send + 'static>(
        &self,
        place: RenderPlace,
        deadline: Deadline,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let at = deadline.at();
        let _abandon = AbandonOnDrop(deadline);
        let rendering = tokio::task::spawn_blocking(move || {
            // Held by the thread, which may work on for a moment after the deadline.
            let _place = place;
            work()
        });
        match tokio::time::timeout_at(at, rendering).await {
            Ok(Ok(made)) => made,
            Ok(Err(error)) => Err(Error::internal(error)),
            Err(_) => Err(took_too_long()),
        }
    }
}

impl App {
    /// Waits for a place on the render pool. What a file is made from is read only then, so that few of them are in memory.
    pub(super) async fn acquire_render_place(&self) -> Result<RenderPlace, Error> {
        self.render_pool.acquire(TaskOwner::current()).await
    }

    /// Makes a file of a report from its figures, with the names that it may show, as they are now.
    pub(super) async fn make_report_file(
        &self,
        place: RenderPlace,
        brand: &Scope,
        report: &Report,
        figures: ReportFigures,
        format: ReportFormat,
    ) -> Result<Vec<u8>, Error> {
        let request = ReportRequest::from_report(report)?;
        check_figures(report.kind, format, &figures, &request).map_err(format_error)?;
        let names = if report.names_people { Names::Shown } else { Names::Hidden };
        // What the author saw when the figures were computed, whatever they see now.
        let projects = match &figures.restricted_to {
            None => Projects::All,
            Some(ids) => Projects::Only(ids.iter().copied().map(ProjectId).collect()),
        };
        let scope = self.platform.scope(brand.brand(), projects);
        let names = self.load_report_names(&scope, names, &figures, &request).await?;
        let mut tx = self.store.read().await?;
        let settings = tx.brand_settings(brand).await?;
        let logo = match format {
            ReportFormat::Pdf => tx.logo(brand).await?,
            ReportFormat::Xlsx | ReportFormat::Csv | ReportFormat::Json => None,
        };
        drop(tx);
        let logo = match logo {
            // One that was stored before logos were decoded may be broken, and is left out.
            Some(logo) => self.compute(move || documents::Picture::from_png(&logo.bytes).ok()).await?,
            None => None,
        };
        let content = OwnedContent {
            report: report.clone(),
            request,
            figures,
            names,
            brand: settings,
            logo,
            base_url: self.reports_setup.base_url.clone(),
            deadline: self.render_pool.deadline(),
        };
        self.render_file(place, format, content).await
    }

    /// Makes a file on the render pool, within its deadline.
    async fn render_file(
        &self,
        place: RenderPlace,
        format: ReportFormat,
        content: OwnedContent,
    ) -> Result<Vec<u8>, Error> {
        let (deadline, max_pages) = (content.deadline.clone(), self.render_pool.max_pages);
        let work = move || match format {
            ReportFormat::Pdf => {
                let document = build_document(&content);
                let is_cancelled = || content.deadline.is_over();
                let limits = Limits { max_pages, is_cancelled: &is_cancelled };
                let rendered = documents::render(&document, &limits).map_err(document_error);
                rendered.map(|rendered| rendered.bytes)
            }
            ReportFormat::Xlsx => write_table(&content, ::exports::Format::Xlsx),
            ReportFormat::Csv => write_table(&content, ::exports::Format::Csv),
            ReportFormat::Json => write_json(&content),
        };
        self.render_pool.run(place, deadline, work).await
    }
}

fn document_error(error: documents::Error) -> Error {
    match error {
        documents::Error::TooManyPages { max } => {
            let text =
                format!("would have more than {max} pages; choose another format or narrow the filters");
            format_error(Invalid::new("too_many_pages", text))
        }
        documents::Error::Cancelled => took_too_long(),
        documents::Error::Svg(_) | documents::Error::Pdf(_) => Error::internal(error),
    }
}

/// Refuses a format in which the file cannot be made.
fn format_error(invalid: Invalid) -> Error {
    Error::for_field(ErrorKind::Invalid, "format", invalid)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use domain::{BrandId, UserId};

    use super::*;

    fn pool(places: u32, timeout: Duration) -> RenderPool {
        let config = ReportsConfig {
            retention_days: 1,
            max_concurrent_renders: places,
            render_timeout_s: 1,
            max_pages: 7,
            max_attachment_mb: 1,
            link_lifetime_days: 1,
        };
        RenderPool { timeout, ..RenderPool::new(&config) }
    }

    impl RenderPool {
        async fn acquire_and_run<T: Send + 'static>(
            &self,
            owner: Option<TaskOwner>,
            work: impl FnOnce(&Deadline) -> Result<T, Error> + Send + 'static,
        ) -> Result<T, Error> {
            let place = self.acquire(owner).await?;
            let deadline = self.deadline();
            let asked = deadline.clone();
            self.run(place, deadline, move || work(&asked)).await
        }
    }

    /// Works until its deadline is over, and then says so.
    fn endless(stopped: mpsc::Sender<()>) -> impl FnOnce(&Deadline) -> Result<(), Error> + Send {
        move |deadline: &Deadline| {
            while !deadline.is_over() {
                std::thread::yield_now();
            }
            stopped.send(()).map_err(Error::internal)?;
            deadline.check()
        }
    }

    #[tokio::test]
    async fn work_is_stopped_at_its_deadline() {
        let pool = pool(1, Duration::from_millis(20));
        let (stopped, has_stopped) = mpsc::channel();
        let refused = pool.acquire_and_run(None, endless(stopped)).await.unwrap_err();
        assert_eq!((refused.kind, refused.code), (ErrorKind::Unavailable, "took_too_long"));
        assert!(!refused.is_permanent() && refused.retry_after_s.is_some());
        has_stopped.recv().unwrap();
        // Its place is free again.
        let pool = RenderPool { timeout: Duration::from_secs(600), ..pool };
        assert_eq!(pool.acquire_and_run(None, |_| Ok(7)).await.ok(), Some(7));
    }

    #[tokio::test]
    async fn work_is_stopped_when_nobody_waits_for_it() {
        let pool = Arc::new(pool(1, Duration::from_secs(600)));
        let (stopped, has_stopped) = mpsc::channel();
        let waiting = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.acquire_and_run(None, endless(stopped)).await }
        });
        while pool.shares.available() > 0 {
            tokio::task::yield_now().await;
        }
        waiting.abort();
        assert!(waiting.await.is_err());
        assert_eq!(tokio::task::spawn_blocking(move || has_stopped.recv()).await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn one_brand_leaves_a_place_to_another() {
        let pool = Arc::new(pool(2, Duration::from_secs(600)));
        let (stopped, has_stopped) = mpsc::channel();
        let brand = |id| Some(TaskOwner::job(BrandId(id)));
        let mut greedy = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let (pool, stopped, owner) = (Arc::clone(&pool), stopped.clone(), brand(1));
            greedy.spawn(async move { pool.acquire_and_run(owner, endless(stopped)).await });
        }
        while pool.shares.available() > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(pool.acquire_and_run(brand(2), |_| Ok(5)).await.ok(), Some(5));
        greedy.shutdown().await;
        drop(stopped);
        assert!(tokio::task::spawn_blocking(move || has_stopped.recv()).await.unwrap().is_ok());
    }

    #[test]
    fn there_are_two_places_on_any_machine_unless_one_is_wanted() {
        assert!(pool(0, Duration::ZERO).shares.available() >= 2);
        assert_eq!(pool(1, Duration::ZERO).shares.available(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_waits_for_a_while_and_a_job_as_long_as_it_takes() {
        let pool = pool(2, Duration::from_secs(600));
        let user = || Some(TaskOwner::new(Tenant::Brand(BrandId(1)), Principal::User(UserId(1))));
        let held = pool.acquire(user()).await.unwrap();
        let refused = pool.acquire(user()).await.unwrap_err();
        assert_eq!((refused.kind, refused.code), (ErrorKind::Unavailable, "too_busy"));
        assert!(refused.retry_after_s.is_some());
        assert!(!refused.detail.contains("your"), "others may hold the places: {}", refused.detail);

        let mut job = std::pin::pin!(pool.acquire(Some(TaskOwner::job(BrandId(1)))));
        assert!(tokio::time::timeout(Duration::from_secs(86_400), job.as_mut()).await.is_err());
        drop(held);
        assert!(job.await.is_ok());
    }
}
