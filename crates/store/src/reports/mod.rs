//! Reports: their rows, files, schedules and written texts.

mod coverage;
pub(crate) mod expired_reports;
mod recipients;
pub(crate) mod report_files;
pub(crate) mod report_rows;
mod report_runs;
pub(crate) mod schedule_runs;
pub(crate) mod schedules;
pub(crate) mod site_reports;
pub(crate) mod work_progress;
