//! Makes files on threads of their own, with limited concurrency, a share per tenant and a deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use documents::Limits;
use domain::{Invalid, ProjectId, Report, ReportFormat};
use store::{Grant, Projects, Scope, Shares, TaskOwner, Tenant};

use super::ReportsConfig;
use super::content::{OwnedContent, build_document, write_json, write_table};
use super::figures::ReportFigures;
use super::request::ReportRequest;
use super::size_limits::check_figures;
use crate::{App, Error, ErrorKind, Names};

/// How long a caller or a job waits for a place.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Permits for rendering. One tenant may hold three quarters of them, if there are several.
pub(crate) struct RenderPool {
    shares: Shares<Option<Tenant>>,
    timeout: Duration,
    max_pages: usize,
}

/// A place in which one file is rendered.
pub(super) type RenderPlace = Grant<Option<Tenant>>;

/// Stops the rendering thread when whoever waits for it goes away or has waited long enough.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl RenderPool {
    pub(crate) fn new(config: &ReportsConfig) -> Self {
        let places = match config.max_concurrent_renders {
            0 => (available_parallelism().map_or(1, usize::from) / 2).max(1),
            places => places as usize,
        };
        let per_tenant = if places == 1 { 1 } else { places - (places / 4).max(1) };
        Self {
            shares: Shares::new(places, per_tenant),
            timeout: Duration::from_secs(u64::from(config.render_timeout_s)),
            max_pages: config.max_pages as usize,
        }
    }

    async fn acquire(&self, tenant: Option<Tenant>) -> Result<RenderPlace, Error> {
        tokio::time::timeout(PERMIT_TIMEOUT, self.shares.acquire(tenant)).await.map_err(|_| {
            let detail = "Too many reports of your brand are being rendered; try again in a moment.";
            Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(2)
        })
    }

    async fn run<T: Send + 'static>(
        &self,
        place: RenderPlace,
        work: impl FnOnce(&Limits<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let is_over = Arc::new(AtomicBool::new(false));
        let _cancel = CancelOnDrop(Arc::clone(&is_over));
        let max_pages = self.max_pages;
        let rendering = tokio::task::spawn_blocking(move || {
            // Held by the thread, which may work on for a moment after the deadline.
            let _place = place;
            let is_cancelled = || is_over.load(Ordering::Relaxed);
            work(&Limits { max_pages, is_cancelled: &is_cancelled })
        });
        match tokio::time::timeout(self.timeout, rendering).await {
            Ok(Ok(made)) => made,
            Ok(Err(error)) => Err(Error::internal(error)),
            Err(_) => Err(took_too_long()),
        }
    }
}

impl App {
    /// Waits for a place on the render pool. What a file is made from should be read only then, so that few of them are in memory.
    pub(super) async fn acquire_render_place(&self) -> Result<RenderPlace, Error> {
        self.render_pool.acquire(TaskOwner::current().map(|owner| owner.tenant())).await
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
        let work = move |limits: &Limits<'_>| match format {
            ReportFormat::Pdf => {
                let rendered = documents::render(&build_document(&content), limits).map_err(document_error);
                rendered.map(|rendered| rendered.bytes)
            }
            ReportFormat::Xlsx => write_table(&content, ::exports::Format::Xlsx),
            ReportFormat::Csv => write_table(&content, ::exports::Format::Csv),
            ReportFormat::Json => write_json(&content),
        };
        self.render_pool.run(place, work).await
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

fn took_too_long() -> Error {
    let text = "took too long to make; choose another format or narrow the filters";
    format_error(Invalid::new("took_too_long", text))
}

/// Refuses a format in which the file cannot be made.
fn format_error(invalid: Invalid) -> Error {
    Error::for_field(ErrorKind::Invalid, "format", invalid)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use domain::BrandId;

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
            tenant: Option<Tenant>,
            work: impl FnOnce(&Limits<'_>) -> Result<T, Error> + Send + 'static,
        ) -> Result<T, Error> {
            let place = self.acquire(tenant).await?;
            self.run(place, work).await
        }
    }

    /// Works until it is cancelled, and then says so.
    fn endless(stopped: mpsc::Sender<()>) -> impl FnOnce(&Limits<'_>) -> Result<(), Error> + Send {
        move |limits: &Limits<'_>| {
            while !(limits.is_cancelled)() {
                std::thread::yield_now();
            }
            stopped.send(()).map_err(Error::internal)
        }
    }

    #[tokio::test]
    async fn work_is_stopped_at_its_deadline() {
        let pool = pool(1, Duration::from_millis(20));
        let (stopped, has_stopped) = mpsc::channel();
        let refused = pool.acquire_and_run(None, endless(stopped)).await.unwrap_err();
        assert_eq!((refused.kind, refused.code), (ErrorKind::Invalid, "took_too_long"));
        has_stopped.recv().unwrap();
        // Its place is free again.
        assert_eq!(pool.acquire_and_run(None, |limits| Ok(limits.max_pages)).await.ok(), Some(7));
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
        let brand = |id| Some(Tenant::Brand(BrandId(id)));
        let mut greedy = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let (pool, stopped) = (Arc::clone(&pool), stopped.clone());
            greedy.spawn(async move { pool.acquire_and_run(brand(1), endless(stopped)).await });
        }
        while pool.shares.available() > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(pool.acquire_and_run(brand(2), |_| Ok(5)).await.ok(), Some(5));
        greedy.shutdown().await;
        drop(stopped);
        assert!(tokio::task::spawn_blocking(move || has_stopped.recv()).await.unwrap().is_ok());
    }
}
