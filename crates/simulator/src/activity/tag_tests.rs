//! Tests of tags at the gate, before a shift begins.

use std::ops::Range;

use crate::primitives::chance::Purpose;
use crate::primitives::checked_values;
use crate::registry::TagTest;
use crate::world::World;

/// The probability that a tag fails its test.
const FAILURE_PROBABILITY: f64 = 0.015;

impl World {
    /// Iterates over the tests of tags at the gates, in order of local days. Many people test daily, some late, some never. The tests are
    /// generated on demand, because five years of a large world would not fit into memory.
    pub fn tag_tests(&self) -> impl Iterator<Item = TagTest> {
        self.tag_tests_on(0..self.local_days())
    }

    /// Iterates over the tests on these local days.
    pub(crate) fn tag_tests_on(&self, days: Range<usize>) -> impl Iterator<Item = TagTest> {
        days.flat_map(|day| {
            let mut tests = Vec::new();
            for site in 0..self.site_profiles.len() {
                self.test_at_gate(site, day, &mut tests);
            }
            tests.sort_by_key(|test: &TagTest| (test.tested_at, test.tag));
            tests
        })
    }

    fn test_at_gate(&self, site: usize, day: usize, tests: &mut Vec<TagTest>) {
        let shifts = self.shifts(site, day);
        if shifts.is_empty() {
            return;
        }
        let worksite = &self.site_profiles[site];
        let mut chance = self.source.stream(Purpose::TagTests, site, day);
        let mut test = |tag: usize, often: f64, shift: usize| {
            let minute = worksite.hours.shifts[shift].0 - chance.between(1.0, 25.0);
            let at_ms = worksite.days[day].at_minute(minute);
            let (happens, passed) = (chance.happens(often), !chance.happens(FAILURE_PROBABILITY));
            if happens && (self.from_ms..self.until_ms).contains(&at_ms) {
                let battery = checked_values::percent(self.battery(tag, at_ms));
                tests.push(TagTest { tag, site, tested_at: checked_values::at_ms(at_ms), passed, battery });
            }
        };
        let reliefs = self.staff.reliefs[site].len();
        for shift in shifts.iter().filter(|shift| shift.has_tag) {
            test(
                shift.operator.tag,
                shift.operator.testing.probability(),
                self.machine_profiles[shift.machine].shift,
            );
        }
        for (index, tag) in self.present_members(site, day) {
            let member = &self.staff.members[site][index];
            // Relief operators who drive that day are covered already.
            let drives = index < reliefs && shifts.iter().any(|shift| shift.operator.person == member.person);
            if !drives {
                test(tag, member.testing.probability(), member.shift);
            }
        }
    }
}
