//! /api/v1/visitor_sessions

mod change;
mod closing;
mod create;
mod projects;

use testkit::TestApp;

/// Inserts a worksite of brand 1.
async fn insert_worksite(app: &TestApp, id: i64, name: &str, zone: &str, project: Option<i64>) {
    let project = project.map_or("null".to_owned(), |id| id.to_string());
    let sql = format!(
        "insert into worksites (id, brand_id, name, name_key, colour, kind, time_zone, project_id, version,
             created_at, updated_at)
         values ({id}, 1, '{name}', lower('{name}'), '#112233', 'other', '{zone}', {project}, 1, 1, 1)"
    );
    testkit::execute_raw_sql(app.database(), &sql).await.unwrap();
}
