//! Reports, their schedules and written site reports.

pub mod report;
pub mod schedule;
pub mod schedule_times;
pub mod site_report;
