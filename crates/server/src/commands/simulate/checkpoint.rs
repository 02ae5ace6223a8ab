//! The state of a simulation, which allows completing it after an interruption.

use domain::{DeviceId, Timestamp};
use serde_json::{Value, json};
use simulator::Plan;

/// The order in which the events of a simulation are fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In the order of their arrival, after all tag tests.
    OldestFirst,
    /// Week by week, each with its tag tests.
    NewestFirst,
}

impl Order {
    /// Reads the order from the form of a simulation in the audit log, whichever version wrote it.
    pub fn from_json(value: &Value) -> Self {
        // Earlier versions knew no other order.
        match value["newest_first"].as_bool() {
            Some(true) => Self::NewestFirst,
            _ => Self::OldestFirst,
        }
    }
}

/// A simulation whose registry is seeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulationCheckpoint {
    pub plan: Plan,
    /// The tester device at the gate of each worksite.
    pub gates: Vec<DeviceId>,
    pub order: Order,
}

impl SimulationCheckpoint {
    /// Returns the form that is stored in the audit log.
    pub fn to_json(&self) -> Value {
        let plan = &self.plan;
        json!({
            "projects": plan.projects,
            "sites": plan.sites,
            "machines": plan.machines,
            "people": plan.people,
            "days": plan.days,
            "seed": plan.seed,
            "until": plan.until,
            "incursions_per_machine_day": plan.incursions_per_machine_day,
            "gps_interval_s": plan.gps_interval_s,
            "gates": self.gates,
            "newest_first": self.order == Order::NewestFirst,
        })
    }

    /// Reads the form in the audit log; `None` if another version wrote it.
    pub fn from_json(value: &Value) -> Option<Self> {
        let number = |name: &str| usize::try_from(value[name].as_u64()?).ok();
        let small = |name: &str| u32::try_from(value[name].as_u64()?).ok();
        let plan = Plan {
            projects: number("projects")?,
            sites: number("sites")?,
            machines: number("machines")?,
            people: number("people")?,
            days: number("days")?,
            seed: value["seed"].as_u64()?,
            until: Timestamp::parse(value["until"].as_str()?).ok()?,
            incursions_per_machine_day: small("incursions_per_machine_day")?,
            gps_interval_s: if value["gps_interval_s"].is_null() {
                None
            } else {
                Some(small("gps_interval_s")?)
            },
        };
        let gates: Vec<DeviceId> =
            value["gates"].as_array()?.iter().map(|id| id.as_i64().map(DeviceId)).collect::<Option<_>>()?;
        (gates.len() == plan.sites).then_some(Self { plan, gates, order: Order::from_json(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulation_is_remembered_whole() {
        let until = Timestamp::parse("2026-03-01T12:34:56.789Z").unwrap();
        for gps_interval_s in [None, Some(60)] {
            let plan = Plan { seed: u64::MAX, sites: 2, projects: 1, gps_interval_s, ..Plan::new(until) };
            for order in [Order::OldestFirst, Order::NewestFirst] {
                let begun = SimulationCheckpoint { plan, gates: vec![DeviceId(3), DeviceId(4)], order };
                assert_eq!(SimulationCheckpoint::from_json(&begun.to_json()), Some(begun));
            }
        }
        let plan = Plan { sites: 1, projects: 1, ..Plan::new(until) };
        let begun = SimulationCheckpoint { plan, gates: vec![DeviceId(3)], order: Order::OldestFirst };
        let mut stored = begun.to_json();
        stored.as_object_mut().unwrap().remove("newest_first");
        assert_eq!(SimulationCheckpoint::from_json(&stored), Some(begun));
        assert_eq!(SimulationCheckpoint::from_json(&json!({ "seed": 1 })), None);
    }
}
