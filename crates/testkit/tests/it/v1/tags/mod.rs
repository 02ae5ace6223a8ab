mod change;
mod flags;
mod history;
mod list;
