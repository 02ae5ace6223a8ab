//! The charts of mails that were drawn last.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{AlertFiring, AlertMessageId, AlertRule};
use store::Projects;
use texts::Language;
use tokio::time::timeout;

use super::readers::Reader;
use crate::{App, Names};

/// Enough for the messages that are being sent; a chart has up to 200 kB.
const MAX_CHARTS: usize = 32;

/// How long a mail waits for its chart.
const MAX_DURATION: Duration = Duration::from_secs(10);

/// A PNG and its description.
type Chart = (Vec<u8>, String);

/// A chart looks the same to all who read it in the same language and may see the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChartKey {
    message: AlertMessageId,
    language: Language,
    names: Names,
    projects: Projects,
}

/// The charts that were drawn last, so that a message to many recipients is drawn once.
#[derive(Default)]
pub(crate) struct ChartCache(Mutex<VecDeque<(ChartKey, Option<Chart>)>>);

impl ChartCache {
    fn get(&self, key: &ChartKey) -> Option<Option<Chart>> {
        self.lock().iter().find(|(known, _)| known == key).map(|(_, chart)| chart.clone())
    }

    fn put(&self, key: ChartKey, chart: Option<Chart>) {
        let mut charts = self.lock();
        charts.push_back((key, chart));
        if charts.len() > MAX_CHARTS {
            charts.pop_front();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(ChartKey, Option<Chart>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// Draws the chart of a firing for a reader. A mail is sent without one rather than late, and a chart that failed is not drawn again.
    pub(super) async fn chart_for(
        &self,
        reader: &Reader,
        message: AlertMessageId,
        rule: &AlertRule,
        firing: &AlertFiring,
    ) -> Option<Chart> {
        let key = ChartKey {
            message,
            language: reader.language,
            names: reader.names,
            projects: reader.scope.projects().clone(),
        };
        if let Some(known) = self.alerts.charts.get(&key) {
            return known;
        }
        let drawing = self.firing_chart(reader.query_scope(), rule, firing, reader.language);
        let chart = match timeout(MAX_DURATION, drawing).await {
            Ok(Ok(chart)) => chart,
            Ok(Err(error)) => {
                tracing::warn!("the chart of firing {} could not be drawn: {error}", firing.id);
                None
            }
            Err(_) => {
                tracing::warn!("the chart of firing {} could not be drawn in time", firing.id);
                None
            }
        };
        // The next recipients of the message do not try again what failed.
        self.alerts.charts.put(key, chart.clone());
        chart
    }
}

#[cfg(test)]
mod tests {
    use domain::ProjectId;

    use super::*;

    #[test]
    fn charts_are_kept_for_readers_who_see_the_same() {
        let cache = ChartCache::default();
        let key = |message: i64, language: Language, projects: Projects| ChartKey {
            message: AlertMessageId(message),
            language,
            names: Names::Hidden,
            projects,
        };
        let drawn = Some((vec![1], "Incursions".to_owned()));
        cache.put(key(1, Language::English, Projects::All), drawn.clone());
        assert_eq!(cache.get(&key(1, Language::English, Projects::All)), Some(drawn));
        assert_eq!(cache.get(&key(1, Language::German, Projects::All)), None);
        assert_eq!(cache.get(&key(1, Language::English, Projects::Only(vec![ProjectId(1)]))), None);
        for message in 2..=MAX_CHARTS as i64 + 1 {
            cache.put(key(message, Language::English, Projects::All), None);
        }
        assert_eq!(cache.get(&key(1, Language::English, Projects::All)), None, "the oldest is dropped");
        assert_eq!(cache.get(&key(2, Language::English, Projects::All)), Some(None));
    }
}
