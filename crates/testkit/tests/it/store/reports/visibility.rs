//! Who sees which reports, and lists of them.

use domain::{
    Direction, MachineId, PersonId, ProjectId, ReportFilter, ReportFormat, ReportId, ReportKind,
    ReportScheduleId, ReportState, ReportSubject, Role, SortKey, Sorting, UserId, Window, WindowPosition,
    WorksiteId,
};
use store::{Projects, ReportCoverage, ReportViewer, Scope};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, new_report, projects};

on_both_engines!(
    a_reader_sees_what_their_projects_and_names_cover,
    what_the_figures_cover_decides_from_then_on,
    lists_are_filtered_and_read_both_ways,
    another_brand_sees_nothing,
);

const WITH_NAMES: ReportViewer = ReportViewer { sees_names: true };
const WITHOUT_NAMES: ReportViewer = ReportViewer { sees_names: false };

/// Returns the reports that a reader sees, and checks that they can be found one by one, too.
async fn seen(rows: &Rows, scope: &Scope, viewer: ReportViewer, filter: &ReportFilter) -> Vec<i64> {
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.visible_reports(scope, viewer);
    let newest_first = Sorting::by(SortKey::Id, Direction::Descending);
    let window = Window { size: 50, position: WindowPosition::Start };
    let slice = reports.slice(filter, newest_first, &window).await.unwrap();
    let ids: Vec<i64> = slice.rows.iter().rev().map(|report| report.id.0).collect();
    assert_eq!(reports.count(filter).await.unwrap(), i64::try_from(ids.len()).unwrap());
    if filter.ids.is_none() && filter.kinds.is_empty() {
        for id in 1..=6 {
            let is_found = reports.find(ReportId(id)).await.unwrap().is_some();
            let is_locked = reports.find_locked(ReportId(id)).await.unwrap().is_some();
            assert_eq!((is_found, is_locked), (ids.contains(&id), ids.contains(&id)), "{id}");
        }
    }
    ids
}

async fn a_reader_sees_what_their_projects_and_names_cover(app: TestApp) {
    let rows = Rows::new(app).await;
    // Each twice: with names and without.
    for coverage in [ReportCoverage::AllProjects, projects(&[1]), projects(&[2, 1, 1])] {
        for names_people in [true, false] {
            let mut new = new_report();
            (new.coverage, new.names_people) = (coverage.clone(), names_people);
            rows.add(&new).await;
        }
    }
    let all = ReportFilter::default();
    for (scope, with_names, without) in [
        (rows.scope.clone(), &[1, 2, 3, 4, 5, 6][..], &[2, 4, 6][..]),
        (rows.only(&[1, 2, 9]), &[3, 4, 5, 6], &[4, 6]),
        (rows.only(&[1]), &[3, 4], &[4]),
        (rows.only(&[2]), &[], &[]),
        (rows.only(&[]), &[], &[]),
    ] {
        assert_eq!(seen(&rows, &scope, WITH_NAMES, &all).await, with_names, "{scope:?}");
        assert_eq!(seen(&rows, &scope, WITHOUT_NAMES, &all).await, without, "{scope:?}");
    }
}

async fn what_the_figures_cover_decides_from_then_on(app: TestApp) {
    let rows = Rows::new(app).await;
    let all = ReportFilter::default();
    let mut new = new_report();
    new.coverage = projects(&[1, 2]);
    let id = rows.add(&new).await;
    assert_eq!(seen(&rows, &rows.only(&[1]), WITH_NAMES, &all).await, [0; 0]);
    // The author sees everything by now.
    rows.begin(id).await.unwrap();
    assert_eq!(seen(&rows, &rows.only(&[1, 2]), WITH_NAMES, &all).await, [0; 0]);
    new.coverage = projects(&[1]);
    let ready = rows.ready(&new, &[]).await;
    assert_eq!(seen(&rows, &rows.only(&[1]), WITH_NAMES, &all).await, [ready.0]);
    // Nothing went into it: whoever made it sees it, even without any project, and those of other projects do not.
    new.coverage = projects(&[]);
    let empty = rows.ready(&new, &[]).await;
    assert_eq!(seen(&rows, &rows.only(&[]), WITH_NAMES, &all).await, [empty.0]);
    assert_eq!(seen(&rows, &rows.only(&[1]), WITH_NAMES, &all).await, [ready.0]);
    assert_eq!(seen(&rows, &rows.only(&[9]), WITH_NAMES, &all).await, [0; 0]);
}

async fn lists_are_filtered_and_read_both_ways(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.app.create_user("bob@example.com", Role::Member).await;
    let mut about = new_report();
    about.kind = ReportKind::Machine;
    about.format = ReportFormat::Json;
    about.subject = ReportSubject {
        project: Some(ProjectId(3)),
        worksite: Some(WorksiteId(4)),
        machine: Some(MachineId(5)),
        person: Some(PersonId(6)),
    };
    (about.schedule, about.author) = (Some(ReportScheduleId(7)), UserId(2));
    rows.add(&new_report()).await;
    let about = rows.add(&about).await;
    let ready = rows.ready(&new_report(), &[]).await;
    let subject = ReportSubject::default();
    let filter = ReportFilter::default();
    for (filter, expected) in [
        (ReportFilter { ids: Some(vec![1, 9]), ..filter.clone() }, vec![1]),
        (ReportFilter { ids: Some(Vec::new()), ..filter.clone() }, vec![]),
        (
            ReportFilter { kinds: vec![ReportKind::Machine, ReportKind::Pivot], ..filter.clone() },
            vec![about.0],
        ),
        (ReportFilter { states: vec![ReportState::Ready], ..filter.clone() }, vec![ready.0]),
        (ReportFilter { author: Some(UserId(2)), ..filter.clone() }, vec![about.0]),
        (ReportFilter { schedule: Some(ReportScheduleId(7)), ..filter.clone() }, vec![about.0]),
        (ReportFilter { schedule: Some(ReportScheduleId(8)), ..filter.clone() }, vec![]),
        (
            ReportFilter {
                subject: ReportSubject { project: Some(ProjectId(3)), ..subject },
                ..filter.clone()
            },
            vec![about.0],
        ),
        (
            ReportFilter {
                subject: ReportSubject { worksite: Some(WorksiteId(5)), ..subject },
                ..filter.clone()
            },
            vec![],
        ),
        (
            ReportFilter {
                subject: ReportSubject { machine: Some(MachineId(5)), person: Some(PersonId(6)), ..subject },
                ..filter.clone()
            },
            vec![about.0],
        ),
    ] {
        let mut tx = rows.store.read().await.unwrap();
        let mut reports = tx.visible_reports(&rows.scope, WITH_NAMES);
        let window = Window { size: 50, position: WindowPosition::Start };
        let oldest_first = Sorting::by(SortKey::CreatedAt, Direction::Ascending);
        let slice = reports.slice(&filter, oldest_first, &window).await.unwrap();
        let ids: Vec<i64> = slice.rows.iter().map(|report| report.id.0).collect();
        assert_eq!(ids, expected, "{filter:?}");
        assert_eq!(reports.count(&filter).await.unwrap(), i64::try_from(expected.len()).unwrap());
    }

    let newest_first = Sorting::by(SortKey::Id, Direction::Descending);
    let mut tx = rows.store.read().await.unwrap();
    let mut reports = tx.visible_reports(&rows.scope, WITH_NAMES);
    let mut position = WindowPosition::Start;
    let (mut forwards, mut backwards) = (Vec::new(), Vec::new());
    loop {
        let window = Window { size: 1, position };
        let slice = reports.slice(&filter, newest_first, &window).await.unwrap();
        forwards.push(slice.rows[0].id.0);
        match slice.next {
            Some(next) => position = WindowPosition::After(next),
            None => {
                position = WindowPosition::Before(slice.previous.unwrap());
                break;
            }
        }
    }
    while let WindowPosition::Before(_) = &position {
        let slice = reports.slice(&filter, newest_first, &Window { size: 1, position }).await.unwrap();
        backwards.push(slice.rows[0].id.0);
        position = slice.previous.map_or(WindowPosition::Start, WindowPosition::Before);
    }
    assert_eq!((forwards, backwards), (vec![3, 2, 1], vec![2, 3]));
}

async fn another_brand_sees_nothing(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.ready(&new_report(), &[]).await;
    let other = rows.app.ensure_brand("Other").await.id;
    let theirs = rows.platform.scope(other, Projects::All);
    assert_eq!(seen(&rows, &theirs, WITH_NAMES, &ReportFilter::default()).await, [0; 0]);
    let mut tx = rows.store.begin().await.unwrap();
    let mut reports = tx.reports_of(&theirs);
    assert!(reports.find(id).await.unwrap().is_none());
    assert_eq!(reports.figures(id).await.unwrap(), None);
    assert_eq!(reports.file(id, ReportFormat::Pdf).await.unwrap(), None);
    assert!(!reports.queue_again(id, UserId(1), at(9)).await.unwrap());
    assert!(!reports.fail(id, "x", at(9)).await.unwrap());
    assert_eq!(reports.erase_person(PersonId(1), at(9)).await.unwrap(), (Vec::new(), Vec::new()));
}
