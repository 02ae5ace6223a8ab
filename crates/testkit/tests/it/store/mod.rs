//! Rows, alike on both engines.

mod counters;
mod login_refusals;
mod people;
mod schema;
mod transactions;
