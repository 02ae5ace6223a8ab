//! The role and the projects of an account, in the forms of users and of service accounts.

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::{Invalid, ProjectId, Role};
use serde_json::Value;
use texts::console::settings::access as t;
use web::{BodyField, Failure, Fields};

use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};
use crate::settings;

/// The maximum number of projects that an account is restricted to, as in the API.
const MAX_PROJECTS: usize = 100;

/// What an account may do and see.
pub struct AccountAccess {
    pub role: Role,
    /// None for all.
    pub projects: Option<Vec<ProjectId>>,
}

/// Reads `role`, `access` and `project_ids`. Whoever ticks projects but leaves the choice at all of them would give away more than
/// they want, so that this is a fault.
pub fn read(fields: &mut Fields) -> Option<AccountAccess> {
    let role = fields.required("role", Role::from_json);
    let sees_all = fields.required("access", web::text(parse_access));
    let ids = fields.optional("project_ids", parse_projects);
    let (sees_all, ids) = (sees_all?, ids?.unwrap_or_default());
    let projects = match sees_all {
        true if ids.is_empty() => None,
        true => {
            let text = "must not be given for an account that sees all projects";
            return fields.add_fault("project_ids", Invalid::new("projects_of_all", text));
        }
        false => Some(ids),
    };
    Some(AccountAccess { role: role?, projects })
}

/// Whether the word means all projects.
fn parse_access(word: &str) -> Result<bool, Invalid> {
    match word {
        "all" => Ok(true),
        "some" => Ok(false),
        _ => Err(Invalid::new("invalid_access", "must be all or some")),
    }
}

fn parse_projects(value: &Value) -> Result<Vec<ProjectId>, Invalid> {
    let ids = value.as_array().ok_or_else(|| Invalid::new("wrong_type", "must be a list of ids"))?;
    if ids.len() > MAX_PROJECTS {
        return Err(Invalid::new("out_of_range", format!("must have at most {MAX_PROJECTS} projects")));
    }
    let mut ids: Vec<ProjectId> = ids.iter().map(ProjectId::from_json).collect::<Result<_, _>>()?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The values of the fields for an account.
pub fn values(role: Role, projects: Option<&[ProjectId]>) -> Vec<(&'static str, String)> {
    let access = if projects.is_some() { "some" } else { "all" };
    let ids = projects.unwrap_or_default().iter().map(|id| ("project_ids", id.to_string()));
    [("role", role.as_str().to_owned()), ("access", access.to_owned())].into_iter().chain(ids).collect()
}

/// The values of the fields for a new account, which can have no more than the reader has.
pub fn first_values(frame: &Frame) -> Vec<(&'static str, String)> {
    match settings::is_unrestricted(frame) {
        true => values(Role::Viewer, None),
        false => values(Role::Viewer, Some(&[])),
    }
}

/// The fields, with the projects that can be chosen.
pub fn fields(frame: &Frame, view: &FormView, projects: Vec<Choice>) -> Vec<Field> {
    let mut access = vec![Choice::new("some", frame.text(t::SOME_PROJECTS))];
    if settings::is_unrestricted(frame) {
        access.insert(0, Choice::new("all", frame.text(t::ALL_PROJECTS)));
    }
    let mut fields = vec![
        Field::new(frame, view, "role", t::ROLE, Input::Select(described_roles(frame))).required(),
        Field::new(frame, view, "access", t::ACCESS, Input::Radios(access)),
    ];
    if !projects.is_empty() {
        let field = Field::new(frame, view, "project_ids", t::PROJECTS, Input::Checks(projects));
        fields.push(field.hint(frame.text(t::PROJECTS_HINT)));
    }
    fields
}

/// The projects that the reader sees, and those that the account has already, which may be archived.
pub async fn project_choices(
    app: &App,
    frame: &Frame,
    current: Option<&[ProjectId]>,
) -> Result<Vec<Choice>, Error> {
    let mut choices = settings::project_choices(app, frame).await?;
    choices.retain(|choice| !choice.value.is_empty());
    let is_missing = |id: &ProjectId| choices.iter().all(|choice| choice.value != id.to_string());
    let missing: Vec<ProjectId> = current.unwrap_or_default().iter().copied().filter(is_missing).collect();
    if !missing.is_empty() {
        let found = app.find_projects_by_id(&frame.caller::<ReadRegistry>()?, &missing).await?;
        choices.extend(found.into_iter().map(|project| Choice::new(project.id.to_string(), project.name)));
    }
    Ok(choices)
}

pub fn role_word(frame: &Frame, role: Role) -> &'static str {
    frame.text(match role {
        Role::Viewer => t::VIEWER,
        Role::Member => t::MEMBER,
        Role::Admin => t::ADMIN,
    })
}

pub fn role_choices(frame: &Frame) -> Vec<Choice> {
    Role::ALL.map(|role| Choice::new(role.as_str(), role_word(frame, role))).into_iter().collect()
}

/// The roles with what they may do.
fn described_roles(frame: &Frame) -> Vec<Choice> {
    let viewers_see_names = frame.identity().is_some_and(|identity| identity.viewers_see_names);
    let about = |role| match role {
        Role::Viewer if viewers_see_names => t::ABOUT_VIEWER_WITH_NAMES,
        Role::Viewer => t::ABOUT_VIEWER,
        Role::Member => t::ABOUT_MEMBER,
        Role::Admin => t::ABOUT_ADMIN,
    };
    Role::ALL.map(|role| Choice::new(role.as_str(), frame.text(about(role)))).into_iter().collect()
}

/// Says how many projects an account sees.
pub fn describe_projects(frame: &Frame, projects: Option<&[ProjectId]>) -> String {
    match projects {
        None => frame.text(t::SEES_ALL).to_owned(),
        Some([]) => frame.text(t::NONE).to_owned(),
        Some(ids) => frame.count(t::NUMBER_OF_PROJECTS, i64::try_from(ids.len()).unwrap_or(i64::MAX)),
    }
}

/// Reads a form that has only a button. One that was brought back after signing in is not acted upon.
pub fn read_button(form: &Form) -> Result<(), Error> {
    form.read(&[], |_| Some(()))
}

/// The form of a record as it is stored, with why a button of its page did nothing.
pub fn with_refusal(
    form: &Form,
    frame: &Frame,
    error: Error,
    mut stored: FormView,
) -> Result<FormView, Failure> {
    let refused = form.view(frame, error)?;
    stored.status = refused.status;
    stored.notice = refused.notice;
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn read_form(access: &str, ids: Value) -> Result<Option<Vec<ProjectId>>, Vec<String>> {
        let mut object = Map::new();
        object.insert("role".to_owned(), json!("member"));
        object.insert("access".to_owned(), json!(access));
        object.insert("project_ids".to_owned(), ids);
        let access = web::read_fields(object, read);
        access.map(|access| access.projects).map_err(|error| {
            error.fields.iter().map(|fault| format!("{}: {}", fault.field, fault.invalid.code)).collect()
        })
    }

    #[test]
    fn projects_are_some_or_all_and_never_both() {
        assert_eq!(read_form("all", json!([])), Ok(None));
        assert_eq!(read_form("some", json!([])), Ok(Some(vec![])));
        assert_eq!(read_form("some", json!([7, 3, 7])), Ok(Some(vec![ProjectId(3), ProjectId(7)])));
        assert_eq!(read_form("all", json!([3])), Err(vec!["project_ids: projects_of_all".to_owned()]));
        assert_eq!(read_form("few", json!([])), Err(vec!["access: invalid_access".to_owned()]));
        let too_many: Vec<i64> = (0..101).collect();
        assert_eq!(read_form("some", json!(too_many)), Err(vec!["project_ids: out_of_range".to_owned()]));
    }
}
