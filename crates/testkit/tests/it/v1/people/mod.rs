mod archive;
mod change;
mod create;
mod employee_ids;
mod erase;
mod list;
mod names;
