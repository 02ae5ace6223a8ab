//! The environment variables of PostgreSQL's tools.

use std::str::FromStr;

use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;

use crate::Error;

/// Returns the environment variables with which PostgreSQL's tools connect. Other users cannot see the password there.
pub(super) fn pg_environment(url: &str) -> Result<Vec<(&'static str, String)>, Error> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| Error::Unusable(format!("the database address is invalid: {error}")))?;
    let host = match options.get_socket() {
        Some(folder) => folder.to_string_lossy().into_owned(),
        None => options.get_host().to_owned(),
    };
    let mut variables = vec![
        ("PGHOST", host),
        ("PGPORT", options.get_port().to_string()),
        ("PGUSER", options.get_username().to_owned()),
        ("PGAPPNAME", "keepclear backup".to_owned()),
        // The default is the user's name.
        ("PGDATABASE", options.get_database().unwrap_or_else(|| options.get_username()).to_owned()),
    ];
    variables.extend(options.get_options().map(|options| ("PGOPTIONS", options.to_owned())));
    // sqlx exposes the rest only as part of a URL, which some host and user names would break.
    let rest = options.host("localhost").username("nobody").to_url_lossy();
    if let Some(password) = rest.password() {
        let text = format!("password={password}");
        let decoded = form_urlencoded::parse(text.as_bytes()).next();
        variables.extend(decoded.map(|(_, password)| ("PGPASSWORD", password.into_owned())));
    }
    for (name, value) in rest.query_pairs() {
        let variable = match &*name {
            "sslmode" => "PGSSLMODE",
            "sslrootcert" => "PGSSLROOTCERT",
            "sslcert" => "PGSSLCERT",
            "sslkey" => "PGSSLKEY",
            _ => continue,
        };
        variables.push((variable, value.into_owned()));
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_becomes_variables_and_the_password_is_as_it_was_meant() {
        let get = |url: &str, name: &str| {
            let found = pg_environment(url).unwrap().into_iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| value)
        };
        let url = "postgres://ada:p%40ss+w%20%25@[::1]:6000/safety?sslmode=require";
        for (name, value) in [
            ("PGPORT", "6000"),
            ("PGUSER", "ada"),
            ("PGPASSWORD", "p@ss+w %"),
            ("PGDATABASE", "safety"),
            ("PGSSLMODE", "require"),
        ] {
            assert_eq!(get(url, name).as_deref(), Some(value), "{name}");
        }
        let socket = "postgres:///safety?host=/run/postgresql&user=ada";
        assert_eq!(get(socket, "PGHOST").as_deref(), Some("/run/postgresql"));
        assert_eq!(get("postgres://ada@db/", "PGDATABASE").as_deref(), Some("ada"));
    }
}
