//! /api/v2/advanced_insights

pub mod exports;
mod outliers;
mod pivot;
mod site_reports;

use domain::{MachineId, PersonId, ProjectId, WorksiteId, Zone};
use testkit::TestApp;

use crate::v1::insights::{Yard, acknowledged, incursion, runtime};

/// Machine 1 at worksite 1: two warnings, one of them acknowledged, and a danger. Machine 2 at worksite 2: a danger. Half an hour of
/// runtime of machine 1.
pub async fn busy_yard(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut danger = incursion(&yard, "2026-02-24T11:00:00Z", 30);
    danger.zone = Zone::Danger;
    danger.closest_cm = Some(120);
    let mut elsewhere = danger.clone();
    elsewhere.uid = "elsewhere".to_owned();
    elsewhere.attribution.machine = Some(MachineId(2));
    elsewhere.attribution.worksite = Some(WorksiteId(2));
    elsewhere.attribution.project = Some(ProjectId(2));
    elsewhere.attribution.operator = Some(PersonId(4));
    let rows = vec![
        acknowledged(incursion(&yard, "2026-02-24T10:00:00Z", 10), 2),
        incursion(&yard, "2026-02-25T10:00:00Z", 20),
        danger,
        elsewhere,
    ];
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 30)]).await;
    yard
}
