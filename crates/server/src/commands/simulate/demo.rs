//! The demo of a first start.

use std::sync::Arc;

use app::App;
use domain::Name;
use simulator::Plan;

use super::checkpoint::Order;
use super::weeks::WeekFeed;
use super::{complete, find_checkpoint, has_name, registry, world};
use crate::commands::{Failure, print_line};

/// Simulates the newest week of the demo on an empty database if one is wanted, or continues a demo that was interrupted, in any case: with a
/// part of its history every comparison would be wrong. Returns what is left to be loaded beside the service, if anything is.
pub async fn begin_demo(app: &Arc<App>, is_wanted: bool) -> Result<Option<WeekFeed>, Failure> {
    let name = Name::parse("Demo").map_err(|invalid| Failure(invalid.to_string()))?;
    let brands = app.list_all_brands().await?;
    // Only an empty database gets a demo, so it is the oldest brand, whatever it is called by now.
    let oldest = brands.iter().min_by_key(|brand| brand.id).cloned();
    let mut feed = if let Some(oldest) = oldest {
        match find_checkpoint(app, &oldest).await? {
            Some(begun) if begun.checkpoint.order == Order::NewestFirst => {
                begun.print_continuation(&oldest)?;
                let world = world(begun.checkpoint.plan)?;
                WeekFeed::new(app, oldest, (world, begun.checkpoint.gates), begun.complete_from).await?
            }
            _ => {
                // `keepclear simulate` may have begun it, and its newest week comes last.
                let named = brands.into_iter().find(|brand| is_wanted && has_name(brand, &name));
                let Some(brand) = named else { return Ok(None) };
                if let Some(begun) = find_checkpoint(app, &brand).await? {
                    complete(app, brand, begun).await?;
                }
                return Ok(None);
            }
        }
    } else if is_wanted {
        let plan = plan(app);
        print_line(&format!("Simulating {} days of {name}, the newest week first …", plan.days))?;
        let world = world(plan)?;
        let (brand, begun) = registry::seed_registry(app, &name, &world, Order::NewestFirst).await?;
        WeekFeed::new(app, brand, (world, begun.gates), None).await?
    } else {
        return Ok(None);
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
