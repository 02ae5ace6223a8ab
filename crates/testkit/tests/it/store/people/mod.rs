//! People.

mod pages;
