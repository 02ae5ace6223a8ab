mod people_assets;
mod tag_assignments;
mod tag_tests;
mod tokens;
