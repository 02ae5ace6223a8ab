//! A field of a form: its label, its input, its hint and its fault.

use askama::Template;
use askama::filters::HtmlSafe;
use texts::console::parts as t;
use texts::{Language, Text};

use crate::address::Address;
use crate::form::FormView;
use crate::frame::Frame;

/// The kind of input of a field.
pub enum Input {
    Text,
    Email,
    Password,
    Number {
        min: i64,
        max: i64,
    },
    Date,
    DateTime,
    Area {
        rows: u8,
    },
    Select(Vec<Choice>),
    Checks(Vec<Choice>),
    Radios(Vec<Choice>),
    /// One checkbox, whose value is `true`.
    Flag,
    File {
        accept: &'static str,
    },
}

/// A value that can be chosen.
#[derive(Clone)]
pub struct Choice {
    pub value: String,
    pub label: String,
    is_chosen: bool,
}

impl Choice {
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), is_chosen: false }
    }

    /// The choice of nothing.
    pub fn blank(label: impl Into<String>) -> Self {
        Self::new("", label)
    }

    /// The same choice, chosen or not.
    pub fn chosen(mut self, is_chosen: bool) -> Self {
        self.is_chosen = is_chosen;
        self
    }

    pub(crate) fn is_chosen(&self) -> bool {
        self.is_chosen
    }
}

/// A field of a form.
#[derive(Template)]
#[template(path = "parts/field.html")]
pub struct Field {
    id: String,
    pub name: &'static str,
    label: &'static str,
    /// The shape of the markup: `input`, `area`, `select`, `group` or `flag`.
    shape: &'static str,
    /// The type of an `<input>`.
    kind: &'static str,
    value: String,
    choices: Vec<Choice>,
    /// Further attributes of an `<input>` or `<textarea>`: names and values.
    attributes: Vec<(&'static str, String)>,
    hint: Option<String>,
    /// The id of a text elsewhere on the page that describes several fields.
    described_by: Option<&'static str>,
    /// What the record has now, if somebody else has changed it to something else than was sent.
    current: Option<String>,
    /// The heading of a group of fields that begins here.
    heading: Option<&'static str>,
    pub(super) fault: Option<String>,
    is_required: bool,
    is_ticked: bool,
    pub(super) is_focused: bool,
    pub(super) language: Language,
}

impl Field {
    /// A field whose value and fault come from the view. The value of a password is never shown again.
    pub fn new(frame: &Frame, view: &FormView, name: &'static str, label: Text, input: Input) -> Self {
        let (shape, kind) = match &input {
            Input::Text => ("input", "text"),
            Input::Email => ("input", "email"),
            Input::Password => ("input", "password"),
            Input::Number { .. } => ("input", "number"),
            Input::Date => ("input", "date"),
            Input::DateTime => ("input", "datetime-local"),
            Input::File { .. } => ("input", "file"),
            Input::Area { .. } => ("area", ""),
            Input::Select(_) => ("select", ""),
            Input::Checks(_) => ("group", "checkbox"),
            Input::Radios(_) => ("group", "radio"),
            Input::Flag => ("flag", "checkbox"),
        };
        let attributes = match &input {
            Input::Number { min, max } => vec![("min", min.to_string()), ("max", max.to_string())],
            Input::Area { rows } => vec![("rows", rows.to_string())],
            Input::File { accept } => vec![("accept", (*accept).to_owned())],
            Input::Email => vec![("spellcheck", "false".to_owned()), ("autocapitalize", "none".to_owned())],
            _ => Vec::new(),
        };
        let current = current_value(frame, view, name, &input);
        let value = match input {
            Input::Password | Input::File { .. } => String::new(),
            _ => view.value(name),
        };
        let choices = match input {
            Input::Select(choices) => {
                choices.into_iter().map(|choice| choice.clone().chosen(choice.value == value)).collect()
            }
            Input::Checks(choices) | Input::Radios(choices) => choices
                .into_iter()
                .map(|choice| choice.clone().chosen(view.has(name, &choice.value)))
                .collect(),
            _ => Vec::new(),
        };
        Self {
            id: format!("field-{name}"),
            name,
            label: frame.text(label),
            shape,
            kind,
            value,
            choices,
            attributes,
            hint: None,
            described_by: None,
            current,
            heading: None,
            fault: view.fault(frame, name),
            is_required: false,
            is_ticked: view.is_ticked(name),
            is_focused: false,
            language: frame.language,
        }
    }

    /// Whether browsers must ask for a choice. They can only if the first one is none; a list without it always has a value.
    fn must_be_chosen(&self) -> bool {
        self.is_required && self.choices.first().is_some_and(|choice| choice.value.is_empty())
    }

    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The field says how a record is changed and is no value of it, so that it has no current one.
    pub fn of_change(mut self) -> Self {
        self.current = None;
        self
    }

    /// Says more precisely what is wrong with the value.
    pub fn faulty(mut self, fault: impl Into<String>) -> Self {
        self.fault = Some(fault.into());
        self
    }

    /// Begins a group of fields with a heading.
    pub fn headed(mut self, heading: &'static str) -> Self {
        self.heading = Some(heading);
        self
    }

    pub fn autocomplete(mut self, word: &'static str) -> Self {
        self.attributes.push(("autocomplete", word.to_owned()));
        self
    }

    /// Suggests values from an address, which gets what is written as `q`; the page must load `suggest.js`.
    pub fn suggesting(mut self, from: &Address) -> Self {
        self.attributes.push(("data-suggest", from.to_string()));
        self
    }

    /// Browsers take no more characters than these.
    pub fn at_most(mut self, chars: usize) -> Self {
        self.attributes.push(("maxlength", chars.to_string()));
        self
    }

    /// Ties a text elsewhere on the page to the field, by its id.
    pub fn explained_by(mut self, id: &'static str) -> Self {
        self.described_by = Some(id);
        self
    }

    /// Whether the page opens with this field selected.
    pub fn focused(mut self, is_focused: bool) -> Self {
        self.is_focused = is_focused;
        self
    }

    /// Makes the id unique on a page with several forms.
    pub(super) fn inside(&mut self, form: &str) {
        self.id = format!("{form}-{}", self.name);
    }

    /// The ids of what describes the input: a text for several fields, hint, current value and fault.
    fn described_by(&self) -> String {
        let hint = self.hint.as_ref().map(|_| format!("{}-hint", self.id));
        let current = self.current.as_ref().map(|_| format!("{}-current", self.id));
        let fault = self.fault.as_ref().map(|_| format!("{}-fault", self.id));
        let shared = self.described_by.map(str::to_owned);
        shared.into_iter().chain(hint).chain(current).chain(fault).collect::<Vec<_>>().join(" ")
    }
}

impl HtmlSafe for Field {}

/// Says what a record has now in a field, if that is not what was sent.
fn current_value(frame: &Frame, view: &FormView, name: &str, input: &Input) -> Option<String> {
    let current = view.current()?;
    let choices: &[Choice] = match input {
        Input::Password | Input::File { .. } => return None,
        Input::Flag => {
            let is_ticked = current.is_ticked(name);
            let text = if is_ticked { t::CURRENT_TICKED } else { t::CURRENT_NOT_TICKED };
            return (is_ticked != view.is_ticked(name)).then(|| frame.text(text).to_owned());
        }
        Input::Select(choices) | Input::Checks(choices) | Input::Radios(choices) => choices,
        _ => &[],
    };
    let values_of = |view: &FormView| {
        let mut values: Vec<String> = view.values(name).iter().map(|value| value.trim().to_owned()).collect();
        values.retain(|value| !value.is_empty());
        values.sort_unstable();
        values
    };
    let mut values = values_of(current);
    if values == values_of(view) {
        return None;
    }
    if values.is_empty() {
        // Nothing chosen may have a name.
        values.push(String::new());
    }
    let label = |value: &String| {
        let known = choices.iter().find(|choice| choice.value == *value);
        known.map_or_else(|| value.clone(), |choice| choice.label.clone())
    };
    let labels = values.iter().map(label).collect::<Vec<_>>().join(", ");
    Some(match labels.is_empty() {
        true => frame.text(t::CURRENT_BLANK).to_owned(),
        false => frame.fill(t::CURRENT, &[("value", &labels)]),
    })
}
