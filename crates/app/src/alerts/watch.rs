//! The hint that facts were stored, so that evaluation does not wait until it looks for them.

use tokio::sync::Notify;

/// Wakes the evaluation of this process. Facts that other processes stored are found by looking.
#[derive(Debug, Default)]
pub(crate) struct AlertWatch(Notify);

impl AlertWatch {
    /// Facts were committed. Costs ingest no more than setting a flag, however many rules there are.
    pub fn facts_changed(&self) {
        self.0.notify_one();
    }

    /// Resolves when facts were committed since it last did.
    pub async fn changed(&self) {
        self.0.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_hint_that_nobody_waited_for_is_not_lost_and_counts_once() {
        let watch = AlertWatch::default();
        watch.facts_changed();
        watch.facts_changed();
        watch.changed().await;
        assert!(tokio::time::timeout(Duration::from_millis(20), watch.changed()).await.is_err());
    }
}
