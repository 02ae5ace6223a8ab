//! Alerts: rules about what is measured, their firings, and who is notified.
//!
//! [`metric`] and its terms say what can be judged, [`rule`] what is judged, and [`judge`] decides when a rule fires and clears.

pub mod active_hours;
mod active_times;
pub mod firing;
pub mod given_terms;
pub mod judge;
pub mod level;
pub mod message;
pub mod metric;
mod metric_terms;
pub mod not_notified;
mod public_address;
pub mod recipient;
pub mod rule;
pub mod scope;
mod split;
mod terms_check;
pub mod webhook;
pub mod webhook_address;
pub mod window;
