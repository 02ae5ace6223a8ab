//! What a line of an imported file, and a form that adds the same record, is read into.

mod base_stations;
mod machines;
mod people;
mod tags;
