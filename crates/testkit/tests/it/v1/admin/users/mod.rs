mod change;
mod invite;
mod list;
mod sessions;
