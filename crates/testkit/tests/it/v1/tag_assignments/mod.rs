mod change;
mod create;
mod race;
