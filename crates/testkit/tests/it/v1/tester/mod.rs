mod people_assets;
mod tokens;
