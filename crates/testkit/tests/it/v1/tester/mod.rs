mod people_assets;
mod tag_assignments;
mod tag_tests;
mod tokens;
mod visitor_sessions;
