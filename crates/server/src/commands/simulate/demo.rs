//! The demo of a first start.

use std::sync::Arc;

use app::{App, SimulationState};
use domain::Name;
use simulator::Plan;
use store::Brand;

use super::checkpoint::Order;
use super::weeks::WeekFeed;
use super::{complete, find_checkpoint, has_name, registry, world};
use crate::commands::{Failure, print_line};

/// Simulates the newest week of the demo on an empty database if one is wanted, or continues a demo that was interrupted, in any case: with a
/// part of its history every comparison would be wrong. Returns what is left to be loaded beside the service, if anything is.
pub async fn begin_demo(app: &Arc<App>, is_wanted: bool) -> Result<Option<WeekFeed>, Failure> {
    let continued = continue_demo(app).await;
    if !is_wanted {
        // Whoever did not ask for a demo is served in any case, and waits for none of its weeks.
        return Ok(continued.unwrap_or_else(|error| {
            tracing::error!(
                "an unfinished demo could not be continued, and its history stays incomplete: {error}"
            );
            None
        }));
    }
    let feed = match continued? {
        None => begin_or_complete(app).await?,
        feed => feed,
    };
    let Some(mut feed) = feed else { return Ok(None) };
    if feed.is_empty() {
        let mut progress = feed.progress();
        feed.load_next(&mut progress).await?;
        progress.finish();
    }
    Ok(Some(feed))
}

/// Returns the brand of a demo of which weeks are missing. Only an empty database gets a demo, so it is the oldest brand, whatever it is
/// called by now.
pub async fn find_unfinished_demo(app: &App) -> Result<Option<Brand>, Failure> {
    let brands = app.list_all_brands().await?;
    let Some(oldest) = brands.into_iter().min_by_key(|brand| brand.id) else { return Ok(None) };
    let is_unfinished = match app.find_simulation_state(&oldest).await? {
        SimulationState::Started { plan, .. } => Order::from_json(&plan) == Order::NewestFirst,
        SimulationState::None | SimulationState::Complete => false,
    };
    Ok(is_unfinished.then_some(oldest))
}

async fn continue_demo(app: &Arc<App>) -> Result<Option<WeekFeed>, Failure> {
    let Some(brand) = find_unfinished_demo(app).await? else { return Ok(None) };
    let Some(begun) = find_checkpoint(app, &brand).await? else { return Ok(None) };
    begun.print_continuation(&brand)?;
    let world = world(begun.checkpoint.plan)?;
    WeekFeed::new(app, brand, (world, begun.checkpoint.gates), begun.complete_from).await.map(Some)
}

/// Begins the demo in an empty database. In another, `keepclear simulate` may have begun it, and its newest week comes last; that is
/// completed.
async fn begin_or_complete(app: &Arc<App>) -> Result<Option<WeekFeed>, Failure> {
    let name = Name::parse("Demo").map_err(|invalid| Failure(invalid.to_string()))?;
    let brands = app.list_all_brands().await?;
    if brands.is_empty() {
        let plan = plan(app);
        print_line(&format!("Simulating {} days of {name}, the newest week first …", plan.days))?;
        let world = world(plan)?;
        let (brand, begun) = registry::seed_registry(app, &name, &world, Order::NewestFirst).await?;
        return WeekFeed::new(app, brand, (world, begun.gates), None).await.map(Some);
    }
    if let Some(brand) = brands.into_iter().find(|brand| has_name(brand, &name))
        && let Some(begun) = find_checkpoint(app, &brand).await?
    {
        complete(app, brand, begun).await?;
    }
    Ok(None)
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
