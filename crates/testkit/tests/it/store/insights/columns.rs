//! The columns give the same answers as SQL.

use cube::{Attributes, Cube, ScanContext, Settings};
use domain::ProjectId;
use store::Projects;
use testkit::insights::{SeededRandom, random_question};
use testkit::{TestApp, on_both_engines};

use super::{answer, random_facts};

on_both_engines!(columns_answer_random_questions_as_the_rows_do);

async fn columns_answer_random_questions_as_the_rows_do(app: TestApp) {
    let (facts, rows) = random_facts(&app, 11, 600, 400).await;
    let (store, _) = facts.store_and_scope();
    let (_, platform) = app.database().open().await;
    let brand = app.ensure_brand("Acme").await.id;
    // In several pages, of which later ones belong between earlier ones.
    let mut cube = Cube::new(Settings { chunk_rows: 64 });
    for place in [3, 0, 2, 1] {
        let incursions: Vec<_> = rows.incursions.iter().copied().skip(place).step_by(4).collect();
        let runtime: Vec<_> = rows.runtime.iter().copied().skip(place).step_by(4).collect();
        cube.apply(&incursions, &runtime).unwrap();
    }
    let kinds = rows.kinds.clone();
    let attributes = Attributes {
        worksite_kinds: kinds.worksites.into_iter().collect(),
        machine_kinds: kinds.machines.into_iter().collect(),
        person_kinds: kinds.people.into_iter().collect(),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let scan = ScanContext {
        pool: &pool,
        attributes: &attributes,
        max_memory_bytes: 1 << 28,
        is_cancelled: &|| false,
    };
    let dice = SeededRandom::new(12);
    for number in 0..300 {
        let within = dice.one_in(3).then(|| dice.choose_up_to(&[1, 2, 3, 4, 5, 6].map(ProjectId), 3));
        let projects = within.clone().map_or(Projects::All, Projects::Only);
        let question = random_question(&dice, within);
        let expected = answer(store, &platform.scope(brand, projects), &question).await;
        let found = cube.snapshot().answer(&question, &scan).unwrap();
        assert_eq!(found, expected, "question {number}: {question:?}");
    }
}
