//! What a fact says, in one sentence: the number, its denominator, what it is compared with, and how sure that is.

use texts::{Counted, Language, Text, integer, narrative as t};

use crate::written::{self, clock, whole};
use crate::{
    Certainty, ComparedWith, Direction, Fact, FactComparison, FactKind, FactSheet, FactZone, SubjectKind,
};

/// Says what a fact says. Names are tokens.
pub fn describe_fact(sheet: &FactSheet, fact: &Fact, language: Language) -> String {
    format!("{}.", statement(sheet, fact, language))
}

/// The same without the full stop.
pub(super) fn statement(sheet: &FactSheet, fact: &Fact, language: Language) -> String {
    let writer = Writer { sheet, fact, language };
    let mut text = writer.base();
    if let Some(comparison) = fact.comparison.and_then(|comparison| writer.comparison(comparison)) {
        text.push_str(", ");
        text.push_str(&comparison);
    }
    text.push_str(certainty(fact).map_or("", |certainty| certainty.get(language)));
    text
}

/// Returns what is said about how sure a difference is or, without one, that the value rests on few incursions.
pub(crate) fn certainty(fact: &Fact) -> Option<Text> {
    match (fact.kind, fact.direction(), fact.certainty) {
        // Settings and states are known, and runtime is measured.
        (
            FactKind::ZoneSizeChanged
            | FactKind::SilentStations
            | FactKind::DaysWithoutData
            | FactKind::RuntimeHours,
            ..,
        )
        | (_, Some(Direction::Level), _) => None,
        (_, Some(_), Certainty::High) => Some(t::CLEAR),
        (_, Some(_), Certainty::Moderate) => Some(t::PROBABLE),
        (_, Some(_), Certainty::Low) => Some(t::CHANCE),
        (
            FactKind::Incursions | FactKind::RepeatedPair | FactKind::TestCompliance | FactKind::ZoneTime,
            ..,
        ) => None,
        (_, None, Certainty::Low) => Some(t::ON_FEW),
        (_, None, _) => None,
    }
}

struct Writer<'a> {
    sheet: &'a FactSheet,
    fact: &'a Fact,
    language: Language,
}

impl Writer<'_> {
    /// Says the value with its denominator.
    fn base(&self) -> String {
        let fact = self.fact;
        match fact.kind {
            FactKind::Incursions if fact.value == 0.0 => {
                t::NO_INCURSIONS.fill(self.language, &[("days", &self.days(&t::DAYS, self.sheet.days))])
            }
            FactKind::Incursions => {
                self.counted(&t::INCURSIONS, &[("days", &self.days(&t::DAYS, self.sheet.days))])
            }
            FactKind::IncursionRate => self.rate(&t::INCURSION_RATE),
            FactKind::Drift => self.rate(&t::DRIFT),
            FactKind::AcknowledgementRate => self.share(&t::ACKNOWLEDGEMENT_RATE),
            FactKind::DangerShare => self.share(&t::DANGER_SHARE),
            FactKind::BusiestPlace => self.share(&t::BUSIEST_PLACE),
            FactKind::TopMachine => self.share(&t::TOP_MACHINE),
            FactKind::IncursionsWithoutTest => self.share(&t::INCURSIONS_WITHOUT_TEST),
            FactKind::UnknownPedestrians => self.share(&t::UNKNOWN_PEDESTRIANS),
            FactKind::BusiestHours => self.share(&t::BUSIEST_HOURS),
            FactKind::AverageDuration => self.plain(&t::AVERAGE_DURATION),
            FactKind::ZoneTime => self.plain(&t::ZONE_TIME),
            FactKind::RuntimeHours if fact.value == 0.0 => t::NO_RUNTIME.get(self.language).to_owned(),
            FactKind::RuntimeHours => self.plain(&t::RUNTIME_HOURS),
            FactKind::OutlierMachine => self.outlier(&t::OUTLIER_MACHINE),
            FactKind::OutlierOperator => self.outlier(&t::OUTLIER_OPERATOR),
            FactKind::OutlierPedestrian => self.outlier(&t::OUTLIER_PEDESTRIAN),
            FactKind::RepeatedPair => {
                let days = self.days(&t::DAYS, whole(fact.denominator.unwrap_or(0.0)));
                let (machine, pedestrian) =
                    (self.token(SubjectKind::Machine), self.token(SubjectKind::Pedestrian));
                let values = [("machine", &*machine), ("pedestrian", &pedestrian), ("days", &days)];
                self.counted(&t::REPEATED_PAIR, &values)
            }
            FactKind::TestCompliance => {
                let share = self.number(fact.value);
                let values = [("all", &*self.denominator()), ("share", &share)];
                t::TEST_COMPLIANCE.of(self.language, whole(fact.numerator.unwrap_or(0.0)), &values)
            }
            FactKind::SilentStations => self.counted(&t::SILENT_STATIONS, &[("all", &self.denominator())]),
            FactKind::DaysWithoutData => {
                let days = self.days(&t::WORKING_DAYS, whole(fact.denominator.unwrap_or(0.0)));
                let count = integer(self.language, whole(fact.value));
                t::DAYS_WITHOUT_DATA.fill(self.language, &[("count", &count), ("days", &days)])
            }
            FactKind::ZoneSizeChanged => match fact.zone {
                Some(FactZone::Warning) => self.plain(&t::WARNING_ZONE_CHANGED),
                Some(FactZone::Danger) | None => self.plain(&t::DANGER_ZONE_CHANGED),
            },
        }
    }

    /// Says what the value is compared with.
    fn comparison(&self, compared: FactComparison) -> Option<String> {
        let (before, change) = (self.number(compared.value), compared.change_percent);
        let with_before =
            |text: Text| text.fill(self.language, &[("before", &before), ("expected", &before)]);
        let by = |text: Text, otherwise: Text| match change {
            Some(change) => {
                let change = written::change(self.language, change);
                text.fill(self.language, &[("change", &change), ("before", &before)])
            }
            None => with_before(otherwise),
        };
        let pick = |up: Text, level: Text, down: Text| match compared.direction {
            Direction::Up => up,
            Direction::Level => level,
            Direction::Down => down,
        };
        let (kind, direction) = (self.fact.kind, compared.direction);
        Some(match compared.with {
            ComparedWith::PreviousPeriod => match (kind, direction) {
                (FactKind::AverageDuration, Direction::Up) => {
                    by(t::LONGER_THAN_BEFORE_BY, t::MORE_THAN_BEFORE)
                }
                (FactKind::AverageDuration, Direction::Down) => {
                    by(t::SHORTER_THAN_BEFORE_BY, t::LESS_THAN_BEFORE)
                }
                (FactKind::AverageDuration, Direction::Level) => with_before(t::SAME_LENGTH_AS_BEFORE),
                (_, Direction::Up) => by(t::MORE_THAN_BEFORE_BY, t::MORE_THAN_BEFORE),
                // "No incursions" needs no percentage.
                (FactKind::Incursions, Direction::Down) if self.fact.value == 0.0 => {
                    with_before(t::FEWER_THAN_BEFORE)
                }
                (FactKind::Incursions | FactKind::IncursionRate, Direction::Down) => {
                    by(t::FEWER_THAN_BEFORE_BY, t::FEWER_THAN_BEFORE)
                }
                (_, Direction::Down) => by(t::LESS_THAN_BEFORE_BY, t::LESS_THAN_BEFORE),
                (_, Direction::Level) => with_before(t::SAME_AS_BEFORE),
            },
            ComparedWith::AfterInstallation => {
                let (up, down) = (t::MORE_THAN_AFTER_INSTALLATION_BY, t::LESS_THAN_AFTER_INSTALLATION_BY);
                let (text, level) =
                    (pick(up, t::SAME_AS_AFTER_INSTALLATION, down), t::SAME_AS_AFTER_INSTALLATION);
                if direction == Direction::Level { with_before(level) } else { by(text, level) }
            }
            ComparedWith::Peers => return self.peers(compared),
            ComparedWith::Runtime if kind == FactKind::BusiestHours => with_before(pick(
                t::MORE_THAN_RUNTIME_OF_HOURS,
                t::SAME_AS_RUNTIME_OF_HOURS,
                t::LESS_THAN_RUNTIME_OF_HOURS,
            )),
            ComparedWith::Runtime => with_before(pick(
                t::MORE_THAN_RUNTIME_OF_MACHINE,
                t::SAME_AS_RUNTIME_OF_MACHINE,
                t::LESS_THAN_RUNTIME_OF_MACHINE,
            )),
            ComparedWith::BeforeChange => match direction {
                Direction::Up => with_before(t::LARGER_THAN_EARLIER),
                Direction::Down => with_before(t::SMALLER_THAN_EARLIER),
                Direction::Level => return None,
            },
        })
    }

    fn peers(&self, compared: FactComparison) -> Option<String> {
        let text = match compared.direction {
            Direction::Up => t::MORE_THAN_PEERS,
            Direction::Down => t::FEWER_THAN_PEERS,
            Direction::Level => return None,
        };
        let peers = match self.fact.kind {
            FactKind::OutlierPedestrian => t::PEERS_OF_PEDESTRIAN,
            FactKind::OutlierOperator => t::PEERS_OF_OPERATOR,
            _ => t::PEERS_OF_MACHINE,
        };
        let expected = written::expected(self.language, compared.value);
        let (low, high) = self.fact.interval.unwrap_or((compared.value, compared.value));
        let (low, high) = (self.number(low), self.number(high));
        let peers = peers.get(self.language);
        let values = [("expected", &*expected), ("peers", peers), ("low", &low), ("high", &high)];
        Some(text.fill(self.language, &values))
    }

    /// Fills a text with the value and its subject.
    fn plain(&self, text: &Text) -> String {
        let (value, subject) = (self.number(self.fact.value), self.first_token());
        text.fill(self.language, &[("value", &value), ("subject", &subject)])
    }

    /// Fills a text with a share, its numerator and its denominator.
    fn share(&self, text: &Text) -> String {
        let fact = self.fact;
        let count = written::numerator(fact, self.language);
        let (from, to) = fact.hours.unwrap_or((0, 24));
        let values = [
            ("value", &*self.number(fact.value)),
            ("count", &count),
            ("all", &self.denominator()),
            ("subject", &self.first_token()),
            ("from", &clock(from)),
            ("to", &clock(to)),
        ];
        text.fill(self.language, &values)
    }

    fn rate(&self, text: &Text) -> String {
        let count = written::numerator(self.fact, self.language);
        let value = self.number(self.fact.value);
        let values = [("value", &*value), ("count", &count), ("hours", &self.denominator())];
        text.fill(self.language, &values)
    }

    fn outlier(&self, text: &Counted) -> String {
        let exposure = match self.fact.kind {
            FactKind::OutlierPedestrian => self.days(&t::DAYS, whole(self.fact.denominator.unwrap_or(0.0))),
            _ => self.denominator(),
        };
        self.counted(text, &[("subject", &self.first_token()), ("exposure", &exposure)])
    }

    fn counted(&self, text: &Counted, values: &[(&str, &str)]) -> String {
        text.of(self.language, whole(self.fact.value), values)
    }

    fn days(&self, text: &Counted, days: i64) -> String {
        text.of(self.language, days, &[])
    }

    fn denominator(&self) -> String {
        written::denominator(self.fact, self.language)
    }

    fn number(&self, value: f64) -> String {
        written::number(self.fact, self.language, value)
    }

    fn token(&self, kind: SubjectKind) -> String {
        self.fact.subject(kind).map(crate::Subject::token).unwrap_or_default()
    }

    fn first_token(&self) -> String {
        self.fact.subjects.first().map(|subject| subject.token()).unwrap_or_default()
    }
}
