//! The open firings of a brand, as the last poll found them.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{OpenAlert, ProjectId};
use store::{OpenAlertOfBrand, Projects, Scope, Tx};

use crate::Error;

/// The most open firings that streams report.
const MAX_ALERTS: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct OpenAlerts {
    /// Newest first, each with its projects; none if all projects of the brand went into it.
    alerts: Vec<(OpenAlert, Option<Vec<ProjectId>>)>,
    has_more: bool,
}

impl OpenAlerts {
    /// Returns the firings that someone sees who sees these projects, and whether there are more in the brand.
    pub fn visible_in(&self, projects: &Projects) -> (Vec<OpenAlert>, bool) {
        let is_visible = |of_alert: &Option<Vec<ProjectId>>| match (projects, of_alert) {
            (Projects::All, _) => true,
            (Projects::Only(_), None) => false,
            // One without any is not for everybody, as in the lists of firings.
            (Projects::Only(seen), Some(own)) => !own.is_empty() && own.iter().all(|id| seen.contains(id)),
        };
        let visible = self.alerts.iter().filter(|(_, own)| is_visible(own));
        (visible.map(|(alert, _)| alert.clone()).collect(), self.has_more)
    }
}

/// Looks at the open firings of a brand.
#[derive(Default)]
pub(super) struct AlertsPoll {
    rows: Vec<OpenAlertOfBrand>,
    pub current: Option<Arc<OpenAlerts>>,
}

impl AlertsPoll {
    /// Reads the open firings, and returns whether they have changed. The projects of a firing never change.
    pub async fn poll(&mut self, tx: &mut Tx, scope: &Scope) -> Result<bool, Error> {
        let limit = i64::try_from(MAX_ALERTS + 1).unwrap_or(i64::MAX);
        let found = tx.open_alerts(scope).of_brand(limit).await?;
        if self.current.is_some() && found == self.rows {
            return Ok(false);
        }
        let mut projects = match found.iter().all(|one| one.all_projects) {
            true => HashMap::new(),
            false => tx.open_alerts(scope).projects().await?,
        };
        let with_projects = found.iter().take(MAX_ALERTS).map(|one| {
            let own = (!one.all_projects).then(|| projects.remove(&one.alert.id).unwrap_or_default());
            (one.alert.clone(), own)
        });
        let alerts = with_projects.collect();
        self.current = Some(Arc::new(OpenAlerts { alerts, has_more: found.len() > MAX_ALERTS }));
        self.rows = found;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertFiringId, AlertMetric, AlertRuleId, AlertSeverity, Timestamp};

    use super::*;

    #[test]
    fn a_restricted_reader_sees_firings_that_they_see_all_of() {
        let alert = |id: i64| OpenAlert {
            id: AlertFiringId(id),
            rule: AlertRuleId(1),
            rule_name: "Yard".to_owned(),
            metric: AlertMetric::Incursions,
            severity: AlertSeverity::Warning,
            fired_at: Timestamp::from_seconds(1_770_000_000),
        };
        let of = |ids: &[i64]| Some(ids.iter().copied().map(ProjectId).collect::<Vec<_>>());
        let open = OpenAlerts {
            alerts: vec![
                (alert(4), of(&[1])),
                (alert(3), of(&[1, 2])),
                (alert(2), None),
                (alert(1), of(&[])),
            ],
            has_more: false,
        };
        let seen = |projects: Projects| {
            let (visible, _) = open.visible_in(&projects);
            visible.into_iter().map(|alert| alert.id.0).collect::<Vec<_>>()
        };
        assert_eq!(seen(Projects::All), [4, 3, 2, 1]);
        assert_eq!(seen(Projects::Only(vec![ProjectId(1)])), [4]);
        assert_eq!(seen(Projects::Only(vec![ProjectId(1), ProjectId(2)])), [4, 3]);
        assert_eq!(seen(Projects::Only(Vec::new())), [0; 0]);
    }
}
