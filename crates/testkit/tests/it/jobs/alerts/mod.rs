//! Alerts: when they fire and clear, whom they notify, and what happens when workers, mail servers or receivers fail.

mod active_hours;
mod delivery;
mod device_metrics;
mod drift;
mod each_device_metric;
mod each_fact_metric;
mod evaluation;
mod fact_metrics;
mod loading_history;
mod many_splits;
mod messages;
mod owners;
mod webhook_calls;
mod workers;
pub mod world;
