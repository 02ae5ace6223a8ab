//! Rows, alike on both engines.

mod counters;
mod login_refusals;
mod messages;
mod people;
mod schema;
mod transactions;
