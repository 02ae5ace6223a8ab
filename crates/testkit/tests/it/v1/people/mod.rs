mod archive;
mod change;
mod create;
mod erase;
mod list;
mod names;
