//! The forms beside a table that save it as a view, and change or delete the view that it began with.

use app::{Error, ViewQuery};
use domain::SavedView;
use domain::access::{ManageBrand, ShareViews};
use texts::console::explore as t;

use super::query::{ExploreQuery, with_query};
use super::view_address;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Action, Field, FormPart, Input};

/// The view that a table began with.
pub struct ViewPanel {
    pub title: String,
    /// What is to be said of it, with an address to go back to.
    pub notes: Vec<(String, Option<String>)>,
    /// For its owner.
    pub form: Option<FormPart>,
    pub delete: Option<Action>,
}

/// The form of a new view.
pub fn save_form(frame: &Frame, view: &FormView) -> FormPart {
    let mut fields = vec![
        Field::new(frame, view, "name", t::VIEW_NAME, Input::Text)
            .required()
            .hint(frame.text(t::PERIOD_HINT)),
    ];
    if frame.may::<ShareViews>() {
        fields.push(Field::new(frame, view, "shared", t::VIEW_SHARED, Input::Flag));
    }
    FormPart::new(with_query(frame, "/explore/views"), view, fields, frame.text(t::SAVE)).creating(frame)
}

/// The panel of a saved view; `refused` is its form if that was refused.
pub fn panel(
    frame: &Frame,
    query: &ExploreQuery,
    (view, saved): &(SavedView, ViewQuery),
    refused: Option<FormView>,
) -> Result<ViewPanel, Error> {
    let is_owner = frame.identity().is_some_and(|identity| identity.user == view.owner);
    let mut notes = Vec::new();
    if !query.is_same(frame, saved) {
        notes.push((frame.text(t::VIEW_CHANGED).to_owned(), Some(view_address::address(frame, view)?)));
    }
    if !is_owner {
        notes.push((frame.text(t::NOT_YOUR_VIEW).to_owned(), None));
    }
    let form = is_owner.then(|| {
        let shared = if view.shared { "true" } else { "" };
        let stored = FormView::new(vec![("name", view.name.clone()), ("shared", shared.to_owned())]);
        change_form(frame, view, &stored.or_refused(frame, refused))
    });
    let delete = (is_owner || frame.may::<ManageBrand>()).then(|| delete_action(frame, view));
    Ok(ViewPanel { title: frame.fill(t::THIS_VIEW, &[("name", &view.name)]), notes, form, delete })
}

fn change_form(frame: &Frame, view: &SavedView, shown: &FormView) -> FormPart {
    let mut fields = vec![Field::new(frame, shown, "name", t::VIEW_NAME, Input::Text).required()];
    // Whoever may no longer share can still take it back.
    if frame.may::<ShareViews>() || view.shared {
        fields.push(Field::new(frame, shown, "shared", t::VIEW_SHARED, Input::Flag));
    }
    fields.push(Field::new(frame, shown, "replace", t::REPLACE, Input::Flag).of_change());
    FormPart::new(with_query(frame, &view_address::path(view)), shown, fields, frame.text(t::SAVE))
        .changing(view.version)
}

pub fn delete_action(frame: &Frame, view: &SavedView) -> Action {
    Action {
        to: format!("{}/delete", view_address::path(view)),
        text: frame.text(t::DELETE_VIEW).to_owned(),
        is_danger: true,
        hidden: vec![("_version".to_owned(), view.version.to_string())],
    }
}
