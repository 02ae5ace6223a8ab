//! Alerts: their rules and how far those were evaluated, firings, messages, deliveries and webhooks.

pub(crate) mod cursors;
pub(crate) mod deliveries;
mod device_history;
pub(crate) mod device_values;
mod firing_retention;
mod firing_scopes;
mod firing_upkeep;
pub(crate) mod firings;
pub(crate) mod messages;
pub(crate) mod open_alerts;
mod project_coverage;
mod rule_filters;
mod rule_recipients;
mod rule_scopes;
pub(crate) mod rules;
pub(crate) mod visible_firings;
mod webhook_deliveries;
mod webhook_rules;
pub(crate) mod webhooks;
