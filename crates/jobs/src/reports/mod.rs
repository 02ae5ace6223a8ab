//! Jobs for reports: figures and files, mails of schedules, written site reports.

pub(crate) mod report_build;
pub(crate) mod report_mail;
pub(crate) mod report_slot;
pub(crate) mod run_failure_mail;
pub(crate) mod site_report;
