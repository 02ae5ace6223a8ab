//! Visits at a desk.

mod change;
mod closing;
mod create;
mod projects;

use testkit::TestApp;

/// Puts a worksite of brand 1 into the database.
async fn insert_worksite(app: &TestApp, id: i64, name: &str, zone: &str, project: Option<i64>) {
    let project = project.map_or("null".to_owned(), |id| id.to_string());
    let sql = format!(
        "insert into worksites (id, brand_id, name, name_key, colour, kind, time_zone, project_id, version,
             created_at, updated_at)
         values ({id}, 1, '{name}', lower('{name}'), '#112233', 'other', '{zone}', {project}, 1, 1, 1)"
    );
    testkit::execute_raw_sql(app.database(), &sql).await.unwrap();
}
