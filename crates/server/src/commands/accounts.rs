//! `keepclear brand`, `keepclear user` and `keepclear token`.

use std::io::Read;

use app::{App, NewAccount, PasswordLifetime, ServiceTokenRequest};
use domain::{BrandId, Name, Span};

use super::{Failure, print_line};
use crate::cli::{
    BrandCommand, ListedTokenId, PasswordSource, ProjectList, TokenCommand, TokenIssue, TokenKind,
    UserCommand,
};

pub async fn brand(app: &App, command: BrandCommand) -> Result<(), Failure> {
    match command {
        BrandCommand::Create { name } => {
            let brand = app.create_brand(&name).await?;
            print_line(&format!("Created the brand {} (id {}).", brand.name, brand.id))
        }
        BrandCommand::List => {
            let rows = app.list_all_brands().await?;
            print_table(
                &["id", "name"],
                rows.iter().map(|brand| vec![brand.id.to_string(), brand.name.clone()]).collect(),
            )
        }
    }
}

pub async fn user(app: &App, command: UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Create { brand, email, role, name, password: from } => {
            let brand = app.find_brand(&brand).await?;
            let name =
                match name {
                    Some(name) => name,
                    None => Name::parse(email.as_str().split('@').next().unwrap_or_default()).map_err(
                        |invalid| Failure(format!("the name of {email}: {invalid}; give one with --name")),
                    )?,
                };
            let (password, made) = read_password(&from, app)?;
            let lasts = password_validity(&from, made.is_some());
            let user = app
                .create_user(&brand, &NewAccount { email, name, role, password, password_lifetime: lasts })
                .await?;
            print_line(&format!(
                "Created the {} {} in {} (id {}).",
                user.role.as_str(),
                user.email,
                brand.name,
                user.id
            ))?;
            print_generated_password(made)
        }
        UserCommand::SetPassword { email, password: from } => {
            let (password, made) = read_password(&from, app)?;
            let user = app.set_password(&email, &password, password_validity(&from, made.is_some())).await?;
            print_line(&format!("{} has a new password; all their sessions have ended.", user.email))?;
            print_generated_password(made)
        }
        UserCommand::ResetSecondFactor { email } => {
            let text = if app.reset_second_factor_by_email(&email).await? {
                "no longer has a second factor and signs in with the password alone"
            } else {
                "has no second factor"
            };
            print_line(&format!("{email} {text}."))
        }
        UserCommand::Change { email, role, state, projects } => {
            if role.is_none() && state.is_none() && projects.is_none() {
                return Err(Failure("at least one of --role, --state and --projects is required".to_owned()));
            }
            if role.is_some() || state.is_some() {
                app.set_access(&email, role, state).await?;
            }
            match projects {
                Some(ProjectList::All) => app.restrict_user(&email, None).await?,
                Some(ProjectList::Only(ids)) => app.restrict_user(&email, Some(&ids)).await?,
                None => {}
            }
            print_line(&format!("{email} has been changed."))
        }
        UserCommand::List { brand } => {
            let brand = match brand {
                Some(name) => Some(app.find_brand(&name).await?),
                None => None,
            };
            let brands = app.list_all_brands().await?;
            let rows = app.all_users(brand.as_ref()).await?.into_iter().map(|user| {
                let brand = brands.iter().find(|brand| brand.id == user.brand);
                vec![
                    user.id.to_string(),
                    user.email,
                    user.name,
                    user.role.as_str().to_owned(),
                    user.state.as_str().to_owned(),
                    brand.map(|brand| brand_with_id(&brand.name, brand.id)).unwrap_or_default(),
                    user.last_login_at.map_or_else(|| "never".to_owned(), |at| at.to_string()),
                ]
            });
            print_table(&["id", "email", "name", "role", "state", "brand", "last login"], rows.collect())
        }
    }
}

pub async fn token(app: &App, command: TokenCommand) -> Result<(), Failure> {
    match command {
        TokenCommand::Issue(issue) => issue_token(app, issue).await,
        TokenCommand::Revoke { id } => {
            let owner = match id {
                ListedTokenId::Device(id) => {
                    let token = app.revoke_token(id).await?;
                    format!("{} {}", token.kind.as_str(), token.device_name)
                }
                ListedTokenId::Service(id) => {
                    format!("service account {}", app.revoke_service_token(id).await?.account_name)
                }
            };
            print_line(&format!("Token {id} of the {owner} is revoked."))
        }
        TokenCommand::List { brand } => {
            let brand = match brand {
                Some(name) => Some(app.find_brand(&name).await?),
                None => None,
            };
            let now = app.clock.now();
            let service_tokens =
                app.list_all_service_tokens(brand.as_ref()).await?.into_iter().map(|token| {
                    let state = match (token.ended_at, token.ended_by) {
                        (Some(at), Some(by)) => format!("{by} {at}"),
                        (Some(_), None) => format!("expired {}", token.expires_at),
                        (None, _) if token.expires_at <= now => format!("expired {}", token.expires_at),
                        (None, _) => format!("live until {}", token.expires_at),
                    };
                    vec![
                        ListedTokenId::Service(token.id).to_string(),
                        "service".to_owned(),
                        token.account_name,
                        brand_with_id(&token.brand_name, token.brand),
                        "eyJ…".to_owned(),
                        token.issued_at.to_string(),
                        token.last_used_at.map_or_else(|| "never".to_owned(), |at| at.to_string()),
                        state,
                    ]
                });
            let rows = app.list_all_tokens(brand.as_ref()).await?.into_iter().map(|token| {
                let state = match (token.ended_at, token.ended_by) {
                    (Some(at), Some(by)) => format!("{by} {at}"),
                    _ => "live".to_owned(),
                };
                vec![
                    token.id.to_string(),
                    token.kind.as_str().to_owned(),
                    token.device_name,
                    brand_with_id(&token.brand_name, token.brand),
                    format!("{}…", token.hint),
                    token.issued_at.to_string(),
                    token.last_used_at.map_or_else(|| "never".to_owned(), |at| at.to_string()),
                    state,
                ]
            });
            print_table(
                &["id", "kind", "device", "brand", "begins", "issued", "last used", "state"],
                rows.chain(service_tokens).collect(),
            )
        }
    }
}

async fn issue_token(app: &App, issue: TokenIssue) -> Result<(), Failure> {
    let TokenIssue { brand, kind, name, role, projects, expires, overlap_hours } = issue;
    let brand = app.find_brand(&brand).await?;
    match kind {
        TokenKind::Device(kind) => {
            if role.is_some() || projects.is_some() || expires.is_some() || overlap_hours.is_some() {
                return Err(Failure(
                    "--role, --projects, --expires and --overlap-hours are for --kind service".to_owned(),
                ));
            }
            let issued = app.issue_token_by_name(&brand, kind, &name).await?;
            if let Some(old) = issued.replaced {
                print_note(&format!("keepclear: token {old} of {} no longer works", issued.device.name));
            }
            print_line(&issued.secret)
        }
        TokenKind::Service => {
            let overlap_hours = overlap_hours.unwrap_or(24);
            let request = ServiceTokenRequest {
                name,
                role,
                projects: projects.map(|projects| match projects {
                    ProjectList::All => None,
                    ProjectList::Only(ids) => Some(ids),
                }),
                expires_at: expires,
                overlap: Span::minutes(overlap_hours * 60),
            };
            let issued = app.issue_service_token_by_name(&brand, &request).await?;
            if let Some(old) = issued.replaced {
                let (old, name) = (ListedTokenId::Service(old), &issued.account.0.name);
                print_note(&match overlap_hours {
                    0 => format!("keepclear: token {old} of {name} no longer works"),
                    hours => format!("keepclear: token {old} of {name} stops working in {hours} hours"),
                });
            }
            print_line(&issued.token)
        }
    }
}

/// Names of brands need not be unique, so the id is shown too.
fn brand_with_id(name: &str, id: BrandId) -> String {
    format!("{name} ({id})")
}

/// Returns the password and, if it was generated and must be shown, a copy of it.
fn read_password(password: &PasswordSource, app: &App) -> Result<(String, Option<String>), Failure> {
    if !password.from_stdin {
        let made = app.random.password(20);
        return Ok((made.clone(), Some(made)));
    }
    let mut text = String::new();
    std::io::stdin().take(4_096).read_to_string(&mut text)?;
    // The line break belongs to the pipe, not to the password.
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok((text.strip_suffix('\r').unwrap_or(text).to_owned(), None))
}

fn password_validity(from: &PasswordSource, is_generated: bool) -> PasswordLifetime {
    match (is_generated, from.chosen) {
        (true, _) => PasswordLifetime::ExpiresUnused,
        (false, false) => PasswordLifetime::UntilChanged,
        (false, true) => PasswordLifetime::Permanent,
    }
}

fn print_generated_password(made: Option<String>) -> Result<(), Failure> {
    let show = |password| {
        print_line(&format!(
            "The password, shown once: {password}\nIt expires if it is not used within a day, and must be changed at the first sign-in."
        ))
    };
    made.map_or(Ok(()), show)
}

#[expect(clippy::print_stderr, reason = "standard output holds the token alone, for scripts")]
fn print_note(text: &str) {
    eprintln!("{text}");
}

/// Prints rows in aligned columns.
fn print_table(head: &[&str], rows: Vec<Vec<String>>) -> Result<(), Failure> {
    let mut all = vec![head.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()];
    all.extend(rows);
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for row in &all {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        print_line(cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
