mod change;
mod invite;
mod list;
