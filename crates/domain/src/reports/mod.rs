//! Reports, their schedules and written site reports.

mod file_name;
pub mod report;
pub mod run_times;
pub mod schedule;
pub mod schedule_times;
pub mod site_report;
