//! The store behaves alike on both engines.

mod accounts;
mod alerts;
mod engine;
mod facts;
mod insights;
mod people;
mod registry;
mod reports;
