//! Statements and answers of whole questions.

use domain::insights::{GroupOrder, IncursionFilter, Measure};
use domain::{BaseStationId, Day, PeriodBound, ProjectId, Review, Span, TagId, Zone};

use super::*;

const MAX: usize = 250_000;
/// The kind of the only machine that has one.
const MACHINE_KIND: &str =
    "if(machine >= 3 and machine <= 3, ascii(substring('a', machine - 2, 1)) - 97, 25)";

fn question(measures: &[Measure], groupings: Vec<Grouping>) -> Question {
    Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: measures.to_vec(),
        groupings,
    }
}

/// Returns both statements.
fn statements(question: &Question, kept_from: KeptFrom) -> (String, Option<String>) {
    let kinds = Kinds { machines: vec![(MachineId(3), MachineKind::ALL[0])], ..Kinds::default() };
    let translated = Translated::new(question, &kinds, kept_from, MAX);
    let of = |table| translated.statement(table, "t", DurationType::FourBytes);
    (of(FactTable::Incursions).unwrap_or_default(), of(FactTable::Runtime))
}

fn instant(micros: i64) -> PeriodBound {
    PeriodBound::Instant(Timestamp::from_micros(micros))
}

#[test]
fn the_total_is_one_row() {
    let (text, runtime) =
        statements(&question(&[Measure::Incursions], vec![Grouping::by([])]), KeptFrom::default());
    let expected =
        "select 0 as s, count() from t final where started_at >= -9223372036854775808 format JSONCompact";
    assert_eq!((text.as_str(), runtime), (expected, None));
}

#[test]
fn groupings_are_sets_of_one_statement() {
    let (site, zone) = (Dimension::Worksite, Dimension::Zone);
    let groupings = vec![
        Grouping::by([site, zone]),
        Grouping::by([zone, site, zone]),
        Grouping::by([zone]),
        Grouping::by([]),
    ];
    let (text, _) = statements(&question(&[Measure::Exposure], groupings), KeptFrom::default());
    let expected = "select grouping(k0, k1) as s, worksite as k0, zone as k1, count(), sumIf(duration_ms, ended) from t final \
         where started_at >= -9223372036854775808 group by grouping sets ((k0, k1), (k1), ()) limit 250001 by s format JSONCompact";
    assert_eq!(text, expected);
}

#[test]
fn one_grouping_is_a_plain_group_by() {
    let (text, _) = statements(
        &question(&[Measure::MedianDuration], vec![Grouping::by([Dimension::Day])]),
        KeptFrom::default(),
    );
    let expected = "select grouping(k0) as s, local_day as k0, count(), \
         if(countIf(ended) = 0, null, arraySort(groupArrayIf(toUInt32(duration_ms), ended))[intDiv(countIf(ended) * 50 + 99, 100)]), \
         countIf(ended), countIf(bitShiftRight(duration_ms, 32) != 0) from t final where started_at >= -9223372036854775808 group by k0 limit 250001 by s format JSONCompact";
    assert_eq!(text, expected);
}

#[test]
fn every_filter_is_a_condition() {
    let mut asked = question(&[Measure::RuntimeHours], vec![Grouping::by([Dimension::MachineKind])]);
    asked.from = Some(instant(100_000_000_000));
    asked.to = Some(PeriodBound::Day(Day::from_number(20_000)));
    asked.visible_projects = Some(vec![ProjectId(1), ProjectId(2)]);
    asked.filter = IncursionFilter {
        base_stations: vec![BaseStationId(5)],
        machine_kinds: vec![MachineKind::ALL[0]],
        zones: vec![Zone::Danger],
        reviews: vec![Review::Dismissed],
        acknowledged: Some(false),
        min_duration: Some(Span::from_micros(1_500)),
        ..IncursionFilter::default()
    };
    let kept_from =
        KeptFrom { incursions: Some(Timestamp::from_micros(7)), runtime: Some(Timestamp::from_micros(8)) };
    let (text, runtime) = statements(&asked, kept_from);
    let expected = format!(
        "select grouping(k0) as s, {MACHINE_KIND} as k0, count() from t final where \
         started_at >= 7 and started_at >= 100000000000 and started_at < 1728086400000000 and local_day < 20000 and \
         project in (1, 2) and station in (5) and {MACHINE_KIND} in (0) and zone in (2) and review in (2) and \
         not acknowledged and ended and duration_ms >= 1 group by k0 limit 250001 by s format JSONCompact"
    );
    assert_eq!(text, expected);
    let expected = format!(
        "select grouping(k0) as s, {MACHINE_KIND} as k0, \
         sum(intDiv((started_at + length_us) - greatest(started_at, toInt64(100000000000)), 1000)) from t final where \
         started_at >= 8 and length_us > 0 and started_at >= 13600000000 and started_at + length_us > 100000000000 and \
         started_at < 1728086400000000 and local_day < 20000 and project in (1, 2) and station in (5) and \
         {MACHINE_KIND} in (0) group by k0 limit 250001 by s format JSONCompact"
    );
    assert_eq!(runtime, Some(expected));
}

#[test]
fn months_are_those_of_the_calendar_where_it_has_all_days_of_a_period() {
    let mut asked = question(&[Measure::RuntimeHours], vec![Grouping::by([Dimension::Month])]);
    let day = |number| Some(PeriodBound::Day(Day::from_number(number)));
    let at = |number| Some(PeriodBound::Instant(Day::from_number(number).midnight_utc()));
    for (from, to, expected) in [
        (day(-25_499), day(120_449), true),
        (day(-25_500), day(120_449), false),
        (day(-25_499), day(120_450), false),
        (at(-25_500), at(120_450), true),
        (at(-25_501), at(120_450), false),
        (at(-25_500), at(120_451), false),
        (None, day(20_000), false),
        (day(20_000), None, false),
    ] {
        (asked.from, asked.to) = (from, to);
        let (incursions, runtime) = statements(&asked, KeptFrom::default());
        for text in [incursions, runtime.unwrap()] {
            assert_eq!(text.contains("toDate32(local_day)"), expected, "{text}");
            assert_eq!(text.contains("intDiv(4 * (local_day"), !expected, "{text}");
        }
    }
}

#[test]
fn nothing_is_in_an_empty_scope() {
    let mut asked = question(&[Measure::RuntimeHours], vec![Grouping::by([])]);
    asked.visible_projects = Some(Vec::new());
    let (text, runtime) = statements(&asked, KeptFrom::default());
    assert!(text.contains(" and 0 format"), "{text}");
    assert!(runtime.is_some_and(|text| text.contains(" and 0 format")));
    asked.visible_projects = Some(vec![ProjectId(1 << 33)]);
    assert!(statements(&asked, KeptFrom::default()).0.contains(" and 0 format"));
}

#[test]
fn runtime_is_asked_for_where_it_can_be_divided() {
    let groupings = vec![Grouping::by([Dimension::Zone]), Grouping::by([Dimension::Month]), Grouping::by([])];
    let mut asked = question(&[Measure::IncursionsPerRuntimeHour], groupings);
    let runtime = statements(&asked, KeptFrom::default()).1.unwrap();
    assert!(runtime.contains("group by grouping sets ((k0), ())") && !runtime.contains("zone"), "{runtime}");
    asked.filter.tags = vec![TagId(1)];
    assert_eq!(statements(&asked, KeptFrom::default()).1, None);
    let only_zones = question(&[Measure::RuntimeHours], vec![Grouping::by([Dimension::Zone])]);
    assert_eq!(statements(&only_zones, KeptFrom::default()).1, None);
}

#[test]
fn a_total_is_told_from_a_group_without_a_key() {
    let groupings = vec![Grouping::by([]), Grouping::by([Dimension::Machine])];
    let asked = question(&[Measure::Incursions, Measure::RuntimeHours], groupings);
    let kinds = Kinds::default();
    let translated = Translated::new(&asked, &kinds, KeptFrom::default(), MAX);
    let row = |numbers: &[i64]| numbers.iter().map(|number| Some(*number)).collect::<ResultRow>();
    // The set, the machine, the incursions.
    let incursions = [row(&[1, 0, 9]), row(&[0, 0, 4]), row(&[0, 3, 5])];
    let runtime = [row(&[1, 0, 100]), row(&[0, 8, 100])];
    let answer = translated.answer(&incursions, &runtime).unwrap();
    let found: Vec<Vec<(Vec<_>, Vec<_>)>> = answer
        .groupings
        .iter()
        .map(|of| {
            let group = |group: &domain::insights::Group| {
                (group.keys.clone(), group.figures.iter().map(|figure| figure.numerator).collect())
            };
            of.groups.iter().map(group).collect()
        })
        .collect();
    assert_eq!(found[0], [(vec![], vec![Some(9), Some(100)])]);
    let expected = [
        (vec![Some(3)], vec![Some(5), Some(0)]),
        (vec![Some(8)], vec![Some(0), Some(100)]),
        (vec![None], vec![Some(4), Some(0)]),
    ];
    assert_eq!(found[1], expected);
}

#[test]
fn too_many_groups_are_refused_and_a_total_is_always_there() {
    let kinds = Kinds::default();
    let asked = question(&[Measure::Incursions], vec![Grouping::by([Dimension::Day])]);
    let row = |day: i64| vec![Some(0), Some(day), Some(1)];
    let translated = Translated::new(&asked, &kinds, KeptFrom::default(), 2);
    assert!(translated.answer(&[row(1), row(2)], &[]).is_ok());
    assert_eq!(translated.answer(&[row(1), row(2), row(3)], &[]), Err(Error::TooManyGroups));
    assert!(translated.answer(&[vec![Some(0), Some(1)]], &[]).is_err());
    let total = question(&[Measure::Incursions], vec![Grouping::by([])]);
    let translated = Translated::new(&total, &kinds, KeptFrom::default(), 2);
    assert_eq!(translated.answer(&[], &[]).unwrap().groupings[0].groups.len(), 1);
}

#[test]
fn groups_are_ordered_and_cut_as_asked() {
    let grouping =
        Grouping { dimensions: vec![Dimension::Machine], order: GroupOrder::Descending(0), limit: Some(1) };
    let asked = question(&[Measure::Incursions], vec![grouping]);
    let kinds = Kinds::default();
    let translated = Translated::new(&asked, &kinds, KeptFrom::default(), MAX);
    let answer =
        translated.answer(&[vec![Some(0), Some(1), Some(2)], vec![Some(0), Some(2), Some(7)]], &[]).unwrap();
    let groups = &answer.groupings[0];
    assert_eq!((groups.groups[0].keys.clone(), groups.more), (vec![Some(2)], 1));
}
