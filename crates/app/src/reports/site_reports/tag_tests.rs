//! Tests of the tags that had incursions at the worksite.

use domain::{ReportKind, Span, TimeZone, Timestamp};
use narrative::{Fact, FactKind};

use super::comparisons::new_share;
use super::counts::unsigned;
use super::facts::Basis;
use crate::reports::figures::TagFigure;
use crate::reports::request::ReportRequest;
use crate::{App, Error, ErrorKind};

impl App {
    /// Returns how many of the tags were in test at the end of the period, and how many incursions happened with one that was not.
    pub(super) async fn test_facts(
        &self,
        basis: &mut Basis<'_>,
        request: &ReportRequest,
    ) -> Result<Vec<Fact>, Error> {
        let request = ReportRequest { kind: ReportKind::TagTestCompliance, ..request.clone() };
        let collected = match self.collect_figures(basis.author, &request, &|_| {}).await {
            Ok(collected) => collected,
            // There are too many tags to tell: the report says nothing about their tests.
            Err(error) if error.kind == ErrorKind::Invalid => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        basis.seqs.push(collected.seq);
        let figures = &collected.figures;
        let zone = figures.zone_of_tags(&TimeZone::utc());
        let (_, end) = figures.instants_of_tags((basis.from, basis.to), &zone);
        let interval = Span::minutes(figures.test_interval_days * 24 * 60);
        Ok(facts_of(&figures.tags, end, interval))
    }
}

fn facts_of(tags: &[TagFigure], end: Timestamp, interval: Span) -> Vec<Fact> {
    let tags: Vec<&TagFigure> = tags.iter().filter(|tag| tag.incursions > 0).collect();
    if tags.is_empty() {
        return Vec::new();
    }
    let in_test = tags.iter().filter(|tag| tag.is_in_test(end, interval)).count() as u64;
    let sum = |of: fn(&TagFigure) -> i64| unsigned(Some(tags.iter().map(|tag| of(tag)).sum()));
    let (incursions, covered) = (sum(|tag| tag.incursions), sum(|tag| tag.incursions_in_test));
    let without = incursions.saturating_sub(covered);
    vec![
        new_share(FactKind::TestCompliance, in_test, tags.len() as u64),
        new_share(FactKind::IncursionsWithoutTest, without, incursions),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(incursions: i64, in_test: i64, last_test: Option<(&str, bool)>) -> TagFigure {
        TagFigure {
            tag: 1,
            person: None,
            tests: 0,
            passed: 0,
            last_test: last_test.map(|(at, _)| Timestamp::parse(at).unwrap()),
            last_passed: last_test.map(|(_, passed)| passed),
            worn_days: 0,
            covered_days: 0,
            worn_at_end: false,
            incursions,
            incursions_in_test: in_test,
        }
    }

    #[test]
    fn only_tags_with_incursions_count() {
        let end = Timestamp::parse("2026-03-02T00:00:00Z").unwrap();
        let tags = [
            tag(4, 4, Some(("2026-03-01T07:00:00Z", true))),
            tag(3, 1, Some(("2026-02-20T07:00:00Z", true))),
            tag(2, 0, Some(("2026-03-01T07:00:00Z", false))),
            tag(1, 0, None),
            tag(0, 0, Some(("2026-03-01T07:00:00Z", true))),
        ];
        let facts = facts_of(&tags, end, Span::minutes(7 * 24 * 60));
        let shares: Vec<_> = facts.iter().map(|fact| (fact.kind, fact.numerator, fact.denominator)).collect();
        assert_eq!(
            shares,
            [
                (FactKind::TestCompliance, Some(1.0), Some(4.0)),
                (FactKind::IncursionsWithoutTest, Some(5.0), Some(10.0)),
            ]
        );
        assert!(facts_of(&tags[4..], end, Span::minutes(1)).is_empty());
    }
}
