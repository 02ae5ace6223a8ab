//! Jobs for reports.

mod mail;
mod report_build;
mod schedules;
