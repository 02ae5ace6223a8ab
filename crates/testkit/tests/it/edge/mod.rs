//! What every request meets, whatever it asks for.

mod bodies;
mod body_budget;
mod connections;
mod cors;
mod errors;
mod health;
mod limits;
mod transport;
