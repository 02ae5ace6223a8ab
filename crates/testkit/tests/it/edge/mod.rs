//! Behaviour common to all requests.

mod bodies;
mod body_budget;
mod connections;
mod cors;
mod errors;
mod health;
mod limits;
mod refused_bodies;
mod transport;
