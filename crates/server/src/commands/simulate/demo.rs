//! The demo of a first start.

use std::sync::Arc;

use app::App;
use domain::Name;
use simulator::Plan;

use super::checkpoint::Order;
use super::weeks::WeekFeed;
use super::{complete, find_checkpoint, has_name, registry, world};
use crate::commands::{Failure, print_line};

/// Simulates the newest week of the demo on an empty database, or continues a demo that was interrupted. Returns what is left to be loaded
/// beside the service, if anything is.
pub async fn begin_demo(app: &Arc<App>) -> Result<Option<WeekFeed>, Failure> {
    let name = Name::parse("Demo").map_err(|invalid| Failure(invalid.to_string()))?;
    let brands = app.list_all_brands().await?;
    let mut feed = if brands.is_empty() {
        let plan = plan(app);
        print_line(&format!("Simulating {} days of {name}, the newest week first …", plan.days))?;
        let world = world(plan)?;
        let (brand, begun) = registry::seed_registry(app, &name, &world, Order::NewestFirst).await?;
        WeekFeed::new(app, brand, (world, begun.gates), None).await?
    } else {
        let Some(brand) = brands.into_iter().find(|brand| has_name(brand, &name)) else { return Ok(None) };
        let Some(begun) = find_checkpoint(app, &brand).await? else { return Ok(None) };
        if begun.checkpoint.order == Order::OldestFirst {
            // `keepclear simulate` had begun it, and its newest week comes last.
            complete(app, brand, begun).await?;
            return Ok(None);
        }
        begun.print_continuation(&brand)?;
        let world = world(begun.checkpoint.plan)?;
        WeekFeed::new(app, brand, (world, begun.checkpoint.gates), begun.complete_from).await?
    };
    if feed.is_empty() {
        let mut progress = feed.progress();
        feed.load_next(&mut progress).await?;
        progress.finish();
    }
    Ok(Some(feed))
}

fn plan(app: &App) -> Plan {
    Plan {
        projects: 3,
        sites: 6,
        machines: 60,
        people: 200,
        days: 90,
        seed: 1,
        until: app.clock.now(),
        incursions_per_machine_day: 46,
        gps_interval_s: Some(60),
    }
}
