//! Rows, alike on both engines.

mod counters;
mod fact_changes;
mod insights;
mod login_refusals;
mod messages;
mod people;
mod schema;
mod transactions;
