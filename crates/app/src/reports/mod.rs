//! Reports: documents and tables made from stored figures, by request and by schedule, and written site reports.
//!
//! `figures` computes what a report says, in numbers and ids; `content` turns that into a document or a table. A job stores the figures,
//! and every file is made from them, so that a file made later says the same.

mod build;
mod busiest_hours;
mod checks;
mod config;
mod content;
mod deadline;
mod downloads;
mod expiry;
mod figures;
mod key_figures;
mod lifecycle;
mod links;
mod names;
mod parts;
mod period;
mod rendering;
mod report_run;
mod report_view;
mod request;
mod schedules;
mod site_reports;
mod size_limits;
mod stored_figures;
mod thresholds;

pub use crate::accounts::authors::AuthorLookup;
pub use ::{narrative, texts};
pub use config::{ReportsConfig, ReportsSetup};
pub use downloads::ReportDownload;
pub use key_figures::{KeyFigure, KeyFigures};
pub(crate) use rendering::RenderPool;
pub use report_view::ReportView;
pub use request::NewReport;
pub use schedules::{
    Delivery, NewReportSchedule, ReportEmail, ReportScheduleChange, RunFailureEmail, ScheduleReach,
    ScheduleView,
};
pub use site_reports::{
    FactView, NewSiteReport, NoAnswer, SentenceView, SiteReportDraft, SiteReportStep, SiteReportView,
    SiteReportWriting, WrittenSiteReport,
};

/// The version of the program that figures and texts name.
pub(crate) const PROGRAM: &str = concat!("Keepclear ", env!("CARGO_PKG_VERSION"));
