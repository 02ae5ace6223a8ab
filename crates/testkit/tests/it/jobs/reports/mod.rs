//! Jobs for reports.

mod failed_runs;
mod mail;
mod mail_links;
mod mail_texts;
mod report_build;
mod schedules;
mod site_report;
