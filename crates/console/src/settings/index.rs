//! /settings: what can be set, with a sentence about each.

use askama::Template;
use domain::access::BeSignedIn;
use texts::console::settings as t;
use web::{Caller, Result};

use crate::frame::Frame;
use crate::response;
use crate::settings::menu;

#[derive(Template)]
#[template(path = "settings/index.html")]
struct IndexPage<'a> {
    frame: &'a Frame,
    groups: Vec<menu::MenuGroup>,
}

pub async fn show(_: Caller<BeSignedIn>, frame: Frame) -> Result {
    let groups = menu(&frame);
    response::page(&frame, &IndexPage { frame: &frame, groups })
}
