//! The plan of a simulated world.

use domain::{Invalid, Span, Timestamp};

/// The size of a world, the simulated period, and the seed that makes it reproducible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// 1 to 100.
    pub projects: usize,
    /// At least one per project, at most 500.
    pub sites: usize,
    /// At least one per worksite, at most 2,000.
    pub machines: usize,
    /// Staff: at least two per machine and two per worksite, at most 20,000. Visitors come in addition.
    pub people: usize,
    /// 1 to 1,830, which is five years.
    pub days: usize,
    /// The same plan with the same seed is the same world, to the byte.
    pub seed: u64,
    /// The end of the last day, exclusive. Nothing happens or arrives at this time or later.
    pub until: Timestamp,
    /// The mean over all machines and a long time, including Sundays: 0 to 500.
    pub incursions_per_machine_day: u32,
    /// Seconds between two positions of a running machine, 1 to 3,600; none for no positions.
    pub gps_interval_s: Option<u32>,
}

/// The field of a plan that is not valid, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {invalid}")]
pub struct PlanError {
    pub field: &'static str,
    pub invalid: Invalid,
}

impl Plan {
    /// Returns a plan for two months of a medium-sized contractor, up to that time.
    pub fn new(until: Timestamp) -> Self {
        Self {
            projects: 3,
            sites: 8,
            machines: 60,
            people: 240,
            days: 60,
            seed: 1,
            until,
            incursions_per_machine_day: 46,
            gps_interval_s: Some(10),
        }
    }

    /// Returns the start of the first day.
    pub fn start(&self) -> Timestamp {
        self.until - Span::minutes(self.days as i64 * 24 * 60)
    }

    /// Refuses a plan that is not valid, naming the first invalid field.
    pub fn check(&self) -> Result<(), PlanError> {
        check_range("projects", self.projects, 1, 100, "")?;
        check_range("sites", self.sites, self.projects, 500, ", at least one per project")?;
        check_range("machines", self.machines, self.sites, 2_000, ", at least one per site")?;
        let staff = 2 * self.machines + 2 * self.sites;
        check_range("people", self.people, staff, 20_000, ", at least two per machine and per site")?;
        check_range("days", self.days, 1, 1_830, "")?;
        check_range("incursions_per_machine_day", self.incursions_per_machine_day as usize, 0, 500, "")?;
        if let Some(interval) = self.gps_interval_s {
            check_range("gps_interval_s", interval as usize, 1, 3_600, "")?;
        }
        // From 2000 to 2100 the rules of time zones are known and device clocks are plausible.
        if !(946_684_800..=4_102_444_800).contains(&self.until.seconds()) {
            return Err(out_of_range("until", "must be from the year 2000 to the year 2100".to_owned()));
        }
        Ok(())
    }
}

fn check_range(
    field: &'static str,
    value: usize,
    low: usize,
    high: usize,
    why: &str,
) -> Result<(), PlanError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(out_of_range(field, format!("must be from {low} to {high}{why}; it is {value}")))
}

fn out_of_range(field: &'static str, message: String) -> PlanError {
    PlanError { field, invalid: Invalid::new("out_of_range", message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan::new(Timestamp::parse("2026-03-01T00:00:00Z").unwrap())
    }

    #[test]
    fn the_default_is_a_plan() {
        assert_eq!(plan().check(), Ok(()));
        assert_eq!(plan().start(), Timestamp::parse("2025-12-31T00:00:00Z").unwrap());
    }

    #[test]
    fn bounds_are_checked_and_name_the_field() {
        let wrong: [(&str, Plan); 13] = [
            ("projects", Plan { projects: 0, ..plan() }),
            ("projects", Plan { projects: 101, ..plan() }),
            ("sites", Plan { sites: 2, ..plan() }),
            ("sites", Plan { sites: 501, ..plan() }),
            ("machines", Plan { machines: 7, ..plan() }),
            ("machines", Plan { machines: 2_001, ..plan() }),
            ("people", Plan { people: 135, ..plan() }),
            ("people", Plan { people: 20_001, ..plan() }),
            ("days", Plan { days: 0, ..plan() }),
            ("days", Plan { days: 1_831, ..plan() }),
            ("incursions_per_machine_day", Plan { incursions_per_machine_day: 501, ..plan() }),
            ("gps_interval_s", Plan { gps_interval_s: Some(0), ..plan() }),
            ("until", Plan { until: Timestamp::from_micros(i64::MAX), ..plan() }),
        ];
        for (field, plan) in wrong {
            let error = plan.check().unwrap_err();
            assert_eq!((error.field, error.invalid.code), (field, "out_of_range"), "{plan:?}");
            assert!(error.to_string().starts_with(field), "{error}");
        }
        assert_eq!(Plan { people: 136, ..plan() }.check(), Ok(()));
        let error = Plan { sites: 2, ..plan() }.check().unwrap_err().to_string();
        assert_eq!(error, "sites must be from 3 to 500, at least one per project; it is 2");
    }
}
