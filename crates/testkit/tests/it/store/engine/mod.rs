//! Transactions, schema and counters.

mod counters;
mod schema;
mod transactions;
