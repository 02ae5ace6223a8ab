//! The configuration: `config.default.toml`, overridden by a file, the environment and flags.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use crate::logging::{self, Log};
use crate::renamed_settings::find_renamed;
use crate::setting_values;

/// The default layer, which also documents every setting.
const DEFAULT_CONFIG: &str = include_str!("../../../config.default.toml");

/// The prefix of environment variables that set a key. `__` separates the parts of the key.
const ENV_PREFIX: &str = "KEEPCLEAR__";

/// The whole configuration. Each crate owns its section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The data folder.
    pub data: PathBuf,
    pub server: web::Server,
    pub database: store::Config,
    pub installation: app::InstallationConfig,
    pub auth: app::AuthConfig,
    pub analytics: app::AnalyticsConfig,
    pub exports: app::ExportsConfig,
    pub reports: app::ReportsConfig,
    pub alerts: app::AlertsConfig,
    pub ai: ai::Config,
    pub jobs: jobs::Config,
    pub mail: mail::Config,
    pub blobs: blobs::Config,
    pub limits: web::Limits,
    pub cors: web::Cors,
    pub console: console::Config,
    pub log: Log,
}

/// The layers above the defaults.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The operator's configuration file.
    pub file: Option<PathBuf>,
    /// Environment variables, as names and values.
    pub environment: Vec<(String, String)>,
    pub listen: Option<SocketAddr>,
    pub data: Option<PathBuf>,
    pub database: Option<String>,
}

/// A configuration that cannot be used: the layer, the key and the reason.
#[derive(Debug)]
pub struct ConfigError {
    layer: String,
    key: Option<String>,
    reason: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "configuration ({})", self.layer)?;
        if let Some(key) = &self.key {
            write!(f, ": {key}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Merges the layers and checks the result after each, so that an error names its layer.
    pub fn load(layers: &Layers) -> Result<Self, ConfigError> {
        let defaults = parse(DEFAULT_CONFIG, "config.default.toml")?;
        let mut table = defaults.clone();
        let mut config = deserialize_checked(&table, "config.default.toml")?;
        if let Some(path) = &layers.file {
            let layer = path.display().to_string();
            let file = parse(&read_file(path)?, &layer)?;
            refuse_renamed(&file, &layer)?;
            merge(&mut table, file);
            config = deserialize_checked(&table, &layer)?;
        }
        let mut env_names = Vec::new();
        for (name, text) in &layers.environment {
            if let Some(key) = name.strip_prefix(ENV_PREFIX) {
                let (variable, layer) =
                    (env_override(key, text, &defaults), format!("environment variable {name}"));
                refuse_renamed(&variable, &layer)?;
                merge(&mut table, variable);
                config = deserialize(&table, &layer)?;
                env_names.push(name.as_str());
            }
        }
        // Variables that belong together are set one by one in any order, so they are checked together.
        config.check(&format!("environment variable {}", env_names.join(", ")))?;
        if let Some(listen) = layers.listen {
            config.server.listen = listen;
        }
        if let Some(data) = &layers.data {
            config.data.clone_from(data);
        }
        if let Some(url) = &layers.database {
            config.database.url.clone_from(url);
        }
        config.check("the layers together")?;
        Ok(config)
    }

    /// Checks the rules that types cannot express.
    fn check(&self, layer: &str) -> Result<(), ConfigError> {
        let fault = |key: &str, reason: String| ConfigError {
            layer: layer.to_owned(),
            key: Some(key.to_owned()),
            reason,
        };
        self.database
            .address(&self.data)
            .map_err(|invalid| fault("database.url", invalid.message.into_owned()))?;
        self.database.check().map_err(|(key, reason)| fault(key, reason))?;
        self.server.check().map_err(|(key, reason)| fault(key, reason))?;
        self.limits.check().map_err(|(key, reason)| fault(key, reason))?;
        self.cors.check().map_err(|(key, reason)| fault(key, reason))?;
        self.console.check().map_err(|(key, reason)| fault(key, reason))?;
        self.installation.check().map_err(|(key, reason)| fault(key, reason))?;
        self.auth.check().map_err(|(key, reason)| fault(key, reason))?;
        self.analytics.check().map_err(|(key, reason)| fault(key, reason))?;
        self.analytics
            .check_connections(self.database.max_connections)
            .map_err(|(key, reason)| fault(key, reason))?;
        self.exports.check().map_err(|(key, reason)| fault(key, reason))?;
        self.reports.check().map_err(|(key, reason)| fault(key, reason))?;
        self.alerts.check().map_err(|(key, reason)| fault(key, reason))?;
        self.ai.check().map_err(|(key, reason)| fault(key, reason))?;
        self.jobs.check().map_err(|(key, reason)| fault(key, reason))?;
        self.mail.check().map_err(|(key, reason)| fault(key, reason))?;
        self.blobs.check().map_err(|(key, reason)| fault(key, reason))?;
        logging::filter(&self.log).map_err(|reason| fault("log.level", reason))?;
        Ok(())
    }
}

fn read_file(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|error| ConfigError {
        layer: path.display().to_string(),
        key: None,
        reason: format!("cannot be read: {error}"),
    })
}

fn parse(text: &str, layer: &str) -> Result<Table, ConfigError> {
    // The message about an integer that is too large quotes it.
    let message = |error: &toml::de::Error| match error.message() {
        quoting if quoting.starts_with("invalid type: ") => "an integer is too large".to_owned(),
        message => message.to_owned(),
    };
    text.parse().map_err(|error: toml::de::Error| ConfigError {
        layer: layer.to_owned(),
        key: None,
        // Its own text quotes the line, which may hold a password.
        reason: format!("is not valid TOML: {}{}", place_in(text, &error), message(&error)),
    })
}

/// Returns where in a text an error is, to be put before its message.
fn place_in(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    before.map_or_else(String::new, |before| {
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        format!("line {line}, column {column}: ")
    })
}

fn refuse_renamed(table: &Table, layer: &str) -> Result<(), ConfigError> {
    match find_renamed(table) {
        None => Ok(()),
        Some((old, new)) => Err(ConfigError {
            layer: layer.to_owned(),
            key: Some(old.to_owned()),
            reason: format!("was renamed to {new}"),
        }),
    }
}

fn deserialize_checked(table: &Table, layer: &str) -> Result<Config, ConfigError> {
    let config = deserialize(table, layer)?;
    config.check(layer)?;
    Ok(config)
}

/// Deserializes the configuration into its types.
fn deserialize(table: &Table, layer: &str) -> Result<Config, ConfigError> {
    setting_values::read(table).map_err(|fault| {
        let (key, reason) = fault.into_parts();
        ConfigError { layer: layer.to_owned(), key, reason }
    })
}

/// Turns `AUTH__ARGON2__ITERATIONS` and `3` into `auth.argon2.iterations = 3`. Text that is not a TOML value is a string, and so is what
/// is set where the default is a string, unless it is one in TOML: a password may consist of digits.
fn env_override(key: &str, text: &str, defaults: &Table) -> Table {
    let parts: Vec<String> = key.split("__").map(str::to_lowercase).collect();
    let (section, last) = parts.split_at(parts.len().saturating_sub(1));
    let section = section.iter().try_fold(defaults, |table, part| table.get(part)?.as_table());
    let is_text =
        section.zip(last.first()).and_then(|(table, last)| table.get(last)).is_some_and(Value::is_str);
    let value = format!("value = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| if table.len() == 1 { table.remove("value") } else { None })
        .filter(|value| value.is_str() || !is_text)
        .unwrap_or_else(|| Value::String(text.to_owned()));
    let nest = |value, part: &String| Value::Table(Table::from_iter([(part.clone(), value)]));
    match parts.iter().rev().fold(value, nest) {
        Value::Table(table) => table,
        _ => Table::new(),
    }
}

/// Merges one table over another, including nested tables.
fn merge(base: &mut Table, overlay: Table) {
    for (key, value) in overlay {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(table)) => merge(inner, table),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(environment: &[(&str, &str)]) -> Result<Config, String> {
        let environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Config::load(&Layers { environment, ..Layers::default() }).map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_that_cannot_be_read_is_not_shown() {
        let text = "[analytics.warehouse]\npassword = \"tulip\nuser = \"keepclear\"\n";
        let reason = parse(text, "keepclear.toml").unwrap_err().to_string();
        assert!(reason.contains("line 2, column ") && !reason.contains("tulip"), "{reason}");
        let text = "[analytics.warehouse]\npassword = 99999999999999999999\n";
        let reason = parse(text, "keepclear.toml").unwrap_err().to_string();
        assert!(reason.contains("line 2, column 12: an integer is too large"), "{reason}");
        assert!(!reason.contains("9999"), "{reason}");
    }

    #[test]
    fn a_value_of_another_type_is_not_shown() {
        let reason = with(&[("KEEPCLEAR__ANALYTICS__WAREHOUSE__NODES", "[{ url = \"tulip\"")]).unwrap_err();
        assert!(
            reason.contains("invalid type: string, expected a sequence") && !reason.contains("tulip"),
            "{reason}"
        );
        for (value, kind) in [("12345678", "integer"), ("true", "boolean"), ("1.5", "floating point")] {
            let table = parse(&format!("[analytics.warehouse]\npassword = {value}\n"), "file").unwrap();
            let mut whole = parse(DEFAULT_CONFIG, "config.default.toml").unwrap();
            merge(&mut whole, table);
            let reason = deserialize(&whole, "keepclear.toml").unwrap_err().to_string();
            let expected = format!("invalid type: {kind}, expected a string");
            assert!(reason.contains(&expected) && !reason.contains(value), "{reason}");
        }
    }

    #[test]
    fn a_password_in_the_environment_may_look_like_a_number() {
        for (text, password) in
            [("12345678", "12345678"), ("1e5", "1e5"), ("true", "true"), ("\"quoted\"", "quoted")]
        {
            let config = with(&[("KEEPCLEAR__ANALYTICS__WAREHOUSE__PASSWORD", text)]).unwrap();
            assert_eq!(config.analytics.warehouse.password.0, password);
        }
    }

    #[test]
    fn shares_follow_from_the_number_of_connections() {
        for (connections, per_brand, per_caller, answers, answers_per_brand) in [
            ("1", 1, 1, 1, 1),
            ("2", 1, 1, 1, 1),
            ("3", 2, 1, 1, 1),
            ("5", 4, 3, 2, 1),
            ("8", 6, 5, 4, 2),
            ("40", 30, 29, 20, 10),
        ] {
            let config = with(&[("KEEPCLEAR__DATABASE__MAX_CONNECTIONS", connections)]).unwrap();
            let database = &config.database;
            assert_eq!(
                (database.per_brand(), database.per_caller()),
                (per_brand, per_caller),
                "{connections}"
            );
            let analytics = config.analytics.with_connection_defaults(database.max_connections);
            assert_eq!(
                (analytics.max_concurrent_sql_queries, analytics.max_concurrent_sql_queries_per_brand),
                (answers, answers_per_brand)
            );
        }
    }

    #[test]
    fn the_default_is_complete() {
        let config = with(&[]).unwrap();
        assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    }

    #[test]
    fn layers_lie_above_each_other() {
        let file = testbed::temporary_folder().keep().join("layers.toml");
        std::fs::write(&file, "data = \"/from/file\"\n[limits]\nread_per_minute = 7\nwrite_per_minute = 8\n")
            .unwrap();
        let layers = Layers {
            file: Some(file.clone()),
            environment: vec![
                ("KEEPCLEAR__LIMITS__READ_PER_MINUTE".to_owned(), "9".to_owned()),
                ("KEEPCLEAR__AUTH__ARGON2__ITERATIONS".to_owned(), "3".to_owned()),
                ("KEEPCLEAR__SERVER__PUBLIC_URL".to_owned(), "https://safety.example.com".to_owned()),
                // Orchestrators set variables like this for a service called keepclear. They are ignored.
                ("KEEPCLEAR_SERVICE_HOST".to_owned(), "10.0.0.1".to_owned()),
            ],
            listen: Some("127.0.0.1:9".parse().unwrap()),
            ..Layers::default()
        };
        let config = Config::load(&layers).unwrap();
        std::fs::remove_file(file).unwrap();
        assert_eq!(config.data, PathBuf::from("/from/file"));
        assert_eq!(
            (
                config.limits.read_per_minute.0,
                config.limits.write_per_minute.0,
                config.limits.login_per_minute.0
            ),
            (9, 8, 30)
        );
        assert_eq!(config.auth.argon2.iterations, 3);
        assert_eq!(config.server.base_url(), "https://safety.example.com");
        assert_eq!(config.server.listen.port(), 9);
    }

    #[test]
    fn a_renamed_setting_is_refused_with_its_new_name() {
        let reason = with(&[("KEEPCLEAR__LIMITS__CALLERS", "5")]).unwrap_err();
        assert!(reason.contains("limits.callers: was renamed to limits.max_tracked_callers"), "{reason}");
        let file = testbed::temporary_folder().keep().join("renamed.toml");
        std::fs::write(&file, "[auth.argon2]\npasses = 3\n").unwrap();
        let layers = Layers { file: Some(file.clone()), ..Layers::default() };
        let reason = Config::load(&layers).map_err(|error| error.to_string()).unwrap_err();
        std::fs::remove_file(&file).unwrap();
        assert!(reason.contains("auth.argon2.passes: was renamed to auth.argon2.iterations"), "{reason}");
        assert!(reason.contains(&file.display().to_string()), "{reason}");
    }

    #[test]
    fn variables_that_go_together_come_in_any_order() {
        let mut variables = [
            ("KEEPCLEAR__BLOBS__BACKEND", "s3"),
            ("KEEPCLEAR__BLOBS__S3__ENDPOINT", "http://127.0.0.1:9000"),
            ("KEEPCLEAR__BLOBS__S3__ALLOW_HTTP", "true"),
            ("KEEPCLEAR__BLOBS__S3__BUCKET", "keepclear"),
            ("KEEPCLEAR__BLOBS__S3__ACCESS_KEY", "tester"),
            ("KEEPCLEAR__BLOBS__S3__SECRET_KEY", "s3cret"),
        ];
        for _ in 0..variables.len() {
            variables.rotate_left(1);
            let config = with(&variables);
            if !cfg!(feature = "s3") {
                let reason = config.unwrap_err();
                assert!(reason.contains("blobs.backend") && reason.contains("`make build`"), "{reason}");
                continue;
            }
            let config = config.unwrap();
            assert_eq!(config.blobs.s3.bucket, "keepclear");
            assert!(!format!("{config:?}").contains("s3cret"));
        }
        let reason = with(&variables[..2]).unwrap_err();
        assert!(reason.contains("blobs.s3") && reason.contains(variables[1].0), "{reason}");
    }

    #[test]
    fn a_temperature_is_a_number_or_left_out() {
        let temperature = |text| with(&[("KEEPCLEAR__AI__TEMPERATURE", text)]).unwrap().ai.temperature;
        assert_eq!(with(&[]).unwrap().ai.temperature, Some(0.0));
        assert_eq!((temperature("1"), temperature("0.3"), temperature("")), (Some(1.0), Some(0.3), None));
        // Over a file that leaves it out.
        let folder = testbed::temporary_folder();
        let file = folder.path().join("keepclear.toml");
        std::fs::write(&file, "[ai]\ntemperature = \"\"\n").unwrap();
        let environment = vec![("KEEPCLEAR__AI__TEMPERATURE".to_owned(), "0.3".to_owned())];
        let layers = Layers { file: Some(file), environment, ..Layers::default() };
        assert_eq!(Config::load(&layers).unwrap().ai.temperature, Some(0.3));
    }

    #[test]
    fn a_fault_names_layer_key_and_reason() {
        for (name, value, key) in [
            ("KEEPCLEAR__SERVER__LISSTEN", "1", "lissten"),
            ("KEEPCLEAR__SERVER__LISTEN", "here", "server.listen"),
            ("KEEPCLEAR__LIMITS__READ_PER_MINUTE", "0", "limits.read_per_minute"),
            ("KEEPCLEAR__LIMITS__READ_PER_MINUTE", "many", "limits.read_per_minute"),
            ("KEEPCLEAR__SERVER__PUBLIC_URL", "ftp://x", "server.public_url"),
            ("KEEPCLEAR__SERVER__PUBLIC_URL", "HTTPS://safety.example.com", "server.public_url"),
            ("KEEPCLEAR__SERVER__PUBLIC_URL", "https://x.example/path", "server.public_url"),
            ("KEEPCLEAR__SERVER__TRUSTED_PROXIES", "[\"10.0.0.0/99\"]", "server.trusted_proxies"),
            ("KEEPCLEAR__DATABASE__URL", "mysql://x", "database.url"),
            ("KEEPCLEAR__DATABASE__MAX_CONNECTIONS_PER_BRAND", "8", "database.max_connections_per_brand"),
            ("KEEPCLEAR__DATABASE__MAX_CONNECTIONS_PER_CALLER", "7", "database.max_connections_per_caller"),
            ("KEEPCLEAR__ANALYTICS__MAX_CONCURRENT_SQL_QUERIES", "8", "analytics.max_concurrent_sql_queries"),
            (
                "KEEPCLEAR__ANALYTICS__MAX_CONCURRENT_SQL_QUERIES_PER_BRAND",
                "4",
                "analytics.max_concurrent_sql_queries_per_brand",
            ),
            ("KEEPCLEAR__ANALYTICS__MAX_MEMORY_PER_BRAND_MB", "4000", "analytics.max_memory_per_brand_mb"),
            ("KEEPCLEAR__ANALYTICS__ENGINE", "warehouse", "analytics.engine"),
            (
                "KEEPCLEAR__ANALYTICS__WAREHOUSE__NODES",
                "[{ shard = 2, url = \"http://a\" }]",
                "analytics.warehouse.nodes",
            ),
            (
                "KEEPCLEAR__ANALYTICS__WAREHOUSE__MAX_QUERY_MEMORY_MB",
                "1",
                "analytics.warehouse.max_query_memory_mb",
            ),
            ("KEEPCLEAR__AUTH__ARGON2__MEMORY_KIB", "1", "auth.argon2"),
            ("KEEPCLEAR__JOBS__LEASE_S", "0", "jobs.lease_s"),
            ("KEEPCLEAR__EXPORTS__RETENTION_DAYS", "0", "exports.retention_days"),
            ("KEEPCLEAR__REPORTS__RETENTION_DAYS", "0", "reports.retention_days"),
            ("KEEPCLEAR__ALERTS__CLEAR_PERCENT", "101", "alerts.clear_percent"),
            ("KEEPCLEAR__AI__URL", "ftp://x", "ai.url"),
            ("KEEPCLEAR__AI__URL", "http://127.0.0.1:1/v1", "ai.model"),
            ("KEEPCLEAR__AI__MAX_TOKENS", "1000001", "ai.max_tokens"),
            ("KEEPCLEAR__AI__TEMPERATURE", "3", "ai.temperature"),
            ("KEEPCLEAR__AI__TEMPERATURE", "hot", "ai.temperature"),
            ("KEEPCLEAR__AI__TEMPERATURE", "true", "ai.temperature"),
            ("KEEPCLEAR__AI__PROXY", "socks5://10.0.0.1", "ai.proxy"),
            ("KEEPCLEAR__MAIL__TRANSPORT", "memory", "mail.transport"),
            ("KEEPCLEAR__MAIL__TRANSPORT", "smtp", "mail.smtp.host"),
            ("KEEPCLEAR__MAIL__FROM_ADDRESS", "nobody", "mail.from_address"),
            ("KEEPCLEAR__MAIL__FROM_NAME", "\"a\\r\\nBcc: x@y.z\"", "mail.from_name"),
            ("KEEPCLEAR__BLOBS__BACKEND", "memory", "blobs.backend"),
            ("KEEPCLEAR__BLOBS__BACKEND", "s3", "blobs.s3.bucket"),
            ("KEEPCLEAR__BLOBS__MAX_CONCURRENT_UPLOADS", "0", "blobs.max_concurrent_uploads"),
            (
                "KEEPCLEAR__BLOBS__MAX_CONCURRENT_UPLOADS_PER_TOKEN",
                "0",
                "blobs.max_concurrent_uploads_per_token",
            ),
            ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_PER_CALLER_MB", "7", "limits.max_body_memory_per_caller_mb"),
            ("KEEPCLEAR__LIMITS__MAX_INGEST_PARSERS", "0", "limits.max_ingest_parsers"),
            ("KEEPCLEAR__SERVER__MAX_CONNECTIONS_PER_ADDRESS", "0", "server.max_connections_per_address"),
            ("KEEPCLEAR__SERVER__DRAIN_S", "601", "server.drain_s"),
            ("KEEPCLEAR__CORS__ALLOWED_ORIGINS", "[\"*\"]", "cors.allowed_origins"),
            ("KEEPCLEAR__LOG__LEVEL", "\"a=b=c\"", "log.level"),
            ("KEEPCLEAR__LOG__FORMAT", "xml", "log.format"),
            ("KEEPCLEAR__NOSUCH", "1", "nosuch"),
        ] {
            let reason = with(&[(name, value)]).unwrap_err();
            assert!(reason.contains(key) && reason.contains(name), "{name}: {reason}");
        }
    }
}
