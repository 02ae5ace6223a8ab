//! What every request meets, whatever it asks for.

mod bodies;
mod cors;
mod errors;
mod health;
mod limits;
