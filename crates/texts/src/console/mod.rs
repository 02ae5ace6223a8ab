//! The texts of the console: one file per section, and those that are around every page.

pub mod accounts;
pub mod alert_words;
pub mod alerts;
pub mod explore;
pub mod faults;
pub mod incursions;
pub mod machines;
pub mod outliers;
pub mod overview;
pub mod parts;
pub mod people;
pub mod refusals;
pub mod report_schedules;
pub mod reports;
pub mod settings;
pub mod shell;
pub mod site_reports;
pub mod sites;
pub mod tester_devices;
pub mod visitors;
pub mod webhooks;
