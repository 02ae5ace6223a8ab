//! `keepclear simulate`, and the demo of a first start.
//!
//! The command feeds the events in the order of their arrival (`feed`), as they would have come. The demo (`demo`) is there for whoever has
//! just started the service, and loads the newest week first (`weeks`). Both lead to the same facts.

mod checkpoint;
mod demo;
mod feed;
mod registry;
mod weeks;

use std::sync::Arc;

use app::{App, FirstAdmin, SimulationState};
use checkpoint::{Order, SimulationCheckpoint};
pub use demo::{begin_demo, find_unfinished_demo};
use domain::{Day, Name};
use feed::FeedResult;
use simulator::{Plan, World};
use store::Brand;
use weeks::WeekFeed;

use super::progress::{group_digits, per_second};
use super::{Failure, print_line};
use crate::cli::SimulateOptions;

/// Simulates a new brand, or completes an interrupted simulation, and prints how to sign in.
pub async fn run(app: &Arc<App>, options: &SimulateOptions) -> Result<(), Failure> {
    let now = app.clock.now();
    let plan = Plan {
        projects: options.projects,
        sites: options.sites,
        machines: options.machines,
        people: options.people,
        days: options.days,
        seed: options.seed,
        until: options.until.unwrap_or(now),
        incursions_per_machine_day: options.incursions_per_machine_day,
        gps_interval_s: (options.gps_interval_s > 0).then_some(options.gps_interval_s),
    };
    if plan.until > now {
        return Err(Failure("--until must not be in the future".to_owned()));
    }
    let brands = app.list_all_brands().await?;
    let begun = match brands.iter().find(|brand| has_name(brand, &options.brand)) {
        Some(brand) => find_checkpoint(app, brand).await?.map(|begun| (brand.clone(), begun)),
        None => None,
    };
    let is_only = brands.is_empty() || brands.iter().all(|brand| has_name(brand, &options.brand));
    match begun {
        Some((brand, begun)) => complete(app, brand, begun).await?,
        None => begin(app, &options.brand, plan).await?,
    }
    match if is_only { app.create_first_admin().await? } else { None } {
        Some(FirstAdmin { email, password, brand }) => print_line(&format!(
            "To sign in when keepclear serve is running (shown once):\n  email      {email}\n  password   {password}\n  \
             brand      {brand}"
        )),
        None => print_line(&format!(
            "To add a user: keepclear user create --brand '{}' --email EMAIL --role admin",
            options.brand
        )),
    }
}

fn has_name(brand: &Brand, name: &Name) -> bool {
    Name::parse(&brand.name).is_ok_and(|found| found.key() == name.key())
}

/// A simulation that was interrupted.
struct Interrupted {
    checkpoint: SimulationCheckpoint,
    /// The first day of what is loaded if that is the newest part.
    complete_from: Option<Day>,
}

impl Interrupted {
    fn print_continuation(&self, brand: &Brand) -> Result<(), Failure> {
        let plan = &self.checkpoint.plan;
        print_line(&format!(
            "Completing the simulation of {} that was interrupted: {} days until {}, seed {} …",
            brand.name, plan.days, plan.until, plan.seed
        ))
    }
}

/// Returns the simulation of the brand that was interrupted.
async fn find_checkpoint(app: &App, brand: &Brand) -> Result<Option<Interrupted>, Failure> {
    match app.find_simulation_state(brand).await? {
        SimulationState::Started { plan, complete_from } => match SimulationCheckpoint::from_json(&plan) {
            Some(checkpoint) => Ok(Some(Interrupted { checkpoint, complete_from })),
            None => Err(Failure(format!("the simulation of {} cannot be completed: {plan}", brand.name))),
        },
        SimulationState::None | SimulationState::Complete => Ok(None),
    }
}

async fn begin(app: &Arc<App>, name: &Name, plan: Plan) -> Result<(), Failure> {
    let world = world(plan)?;
    print_line(&format!("Simulating {} days of {name} …", plan.days))?;
    let (brand, begun) = registry::seed_registry(app, name, &world, Order::OldestFirst).await?;
    feed(app, &brand, &begun, &world).await
}

/// Completes a simulation in the order in which it began.
async fn complete(app: &Arc<App>, brand: Brand, begun: Interrupted) -> Result<(), Failure> {
    begun.print_continuation(&brand)?;
    let Interrupted { checkpoint, complete_from } = begun;
    let world = world(checkpoint.plan)?;
    match checkpoint.order {
        Order::OldestFirst => feed(app, &brand, &checkpoint, &world).await,
        Order::NewestFirst => {
            WeekFeed::new(app, brand, (world, checkpoint.gates), complete_from).await?.load().await
        }
    }
}

fn world(plan: Plan) -> Result<Arc<World>, Failure> {
    World::new(plan).map(Arc::new).map_err(|error| Failure(error.to_string()))
}

/// Ingests all events, of which known ones change nothing, and prints a summary.
async fn feed(
    app: &Arc<App>,
    brand: &Brand,
    begun: &SimulationCheckpoint,
    world: &Arc<World>,
) -> Result<(), Failure> {
    let tests = feed::feed_tag_tests(app, brand, world, &begun.gates).await?;
    let before = app.count_incursions(brand).await?;
    let fed = feed::feed_events(app, brand, world).await?;
    finish(app, brand, world, (before, tests), &fed).await
}

/// Records that a simulation is complete, and prints a summary with the numbers of new incursions and of all tag tests.
async fn finish(
    app: &App,
    brand: &Brand,
    world: &World,
    (before, tests): (i64, u64),
    fed: &FeedResult,
) -> Result<(), Failure> {
    app.complete_simulation(brand).await?;
    let incursions = app.count_incursions(brand).await?;
    let new = u64::try_from(incursions - before).unwrap_or(0);
    print_line(&format!("Simulated {} days of {}:", world.plan().days, brand.name))?;
    print_line(&format!("  {}", registry::summarize(world.registry())))?;
    print_line(&format!(
        "  {} incursions, {} tag tests; of {} events, {} were new",
        group_digits(u64::try_from(incursions).unwrap_or(0)),
        group_digits(tests),
        group_digits(fed.stored()),
        group_digits(fed.accepted),
    ))?;
    print_line(&format!(
        "  ingested in {:.1} s: {} incursions per second",
        fed.seconds,
        group_digits(per_second(new, fed.seconds))
    ))?;
    print_line(&format!("  to be found: {}", planted(world)))?;
    print_line(&format!("  to reproduce it: --seed {} --until {}", world.plan().seed, world.plan().until))
}

/// Describes the anomalies that were planted in the world.
fn planted(world: &World) -> String {
    let (registry, planted) = (world.registry(), world.planted());
    let mut text = format!(
        "{} comes close to people three times as often as expected, {} to machines",
        registry.machines[planted.machine].name, registry.people[planted.person].name,
    );
    if let Some((station, since)) = planted.silent {
        text.push_str(&format!("; {} has been silent since {since}", registry.stations[station].serial));
    }
    text
}
