//! Alerts: rules that are evaluated as facts arrive and as time passes, their firings, and who is notified.
//!
//! `rules` has what people do with rules, `evaluation` measures and judges them, `messages` and `webhooks` notify others, `dry_run`
//! replays the past.

mod attempts;
mod config;
mod dry_run;
mod evaluation;
mod firing_chart;
mod firings;
mod lost_deliveries;
mod messages;
mod open_alerts;
mod retention;
mod rules;
mod stats;
mod test_message;
mod watch;
mod webhooks;

pub use config::AlertsConfig;
pub use dry_run::{DryRun, DryRunFiring, DryRunSplit};
pub use evaluation::{EvaluationSummary, MAX_CONCURRENT_EVALUATIONS};
pub use firings::{FiringLabels, FiringView};
pub use messages::{AlertEmail, AlertEmailRow, FiringFact, Unsubscription, explain_firing};
pub use rules::{AlertChange, AlertView, NewAlert};
pub use stats::AlertStats;
pub use webhooks::{NewWebhook, WebhookCall, WebhookChange, WebhookNoticeEmail, WebhookView};

/// The section of the configuration, and the address with which links in messages begin.
#[derive(Clone, Debug)]
pub struct AlertsSetup {
    pub config: AlertsConfig,
    /// Without a trailing slash.
    pub base_url: String,
}

/// What alerts need of a process.
pub(crate) struct Alerts {
    pub setup: AlertsSetup,
    pub engine: evaluation::Engine,
    pub watch: watch::AlertWatch,
    pub stats: stats::Counters,
    pub charts: messages::ChartCache,
    pub samples: test_message::SampleCache,
    pub circuit_breakers: webhooks::CircuitBreakers,
}

impl Alerts {
    pub(crate) fn new(setup: AlertsSetup) -> Self {
        Self {
            setup,
            engine: evaluation::Engine::default(),
            watch: watch::AlertWatch::default(),
            stats: stats::Counters::default(),
            charts: messages::ChartCache::default(),
            samples: test_message::SampleCache::default(),
            circuit_breakers: webhooks::CircuitBreakers::default(),
        }
    }
}
