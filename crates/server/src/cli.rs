//! The command line. Scripts rely on its names.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::{DeviceKind, EmailAddress, Name, Role, ServiceTokenId, Timestamp, TokenId, UserState};

/// Workplace-safety data service: records who came too close to which machine, and reports on it
#[derive(Parser)]
#[command(name = "keepclear", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalOptions,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Args)]
pub struct GlobalOptions {
    /// Data folder [default: ./data]
    #[arg(long, global = true, value_name = "DIR", env = "KEEPCLEAR_DATA")]
    pub data: Option<PathBuf>,
    /// Database: postgres://… or sqlite:PATH [default: the SQLite file in the data folder]
    #[arg(long, global = true, value_name = "URL", env = "KEEPCLEAR_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// Configuration file, which overrides the defaults
    #[arg(long, global = true, value_name = "FILE", env = "KEEPCLEAR_CONFIG")]
    pub config: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve over HTTP; runs migrations first, and creates an admin if there is no user
    Serve {
        /// Address to listen on [default: 127.0.0.1:8080]
        #[arg(long, value_name = "ADDRESS", env = "KEEPCLEAR_LISTEN")]
        listen: Option<SocketAddr>,
        /// If the database is empty, simulate 90 days of a brand called Demo before serving
        #[arg(long)]
        demo: bool,
    },
    /// Run jobs, such as sending mails, without serving; runs migrations first
    Worker,
    /// Run the migrations of the database
    Migrate,
    /// Check configuration, database, audit log and video without serving, or check a backup
    ///
    /// The object of every video clip must exist and have the recorded size. The audit log must be consistent, and contain every head that
    /// was recorded outside the database. The files and rows of a backup are compared with its manifest.
    Check {
        /// Also read every page of an SQLite database, and compare the bytes of every object with its recorded hash
        #[arg(long)]
        deep: bool,
        /// Check this backup instead
        #[arg(long, value_name = "FOLDER", conflicts_with = "deep")]
        backup: Option<PathBuf>,
        /// Also compare the audit log with the heads in this file, such as the audit-heads.log of another host; may be repeated
        #[arg(long, value_name = "FILE", conflicts_with = "backup")]
        heads: Vec<PathBuf>,
        /// Accept the audit chains as they are, if you know why recorded heads are missing or chains were cut off
        ///
        /// This is recorded in the audit log and in the file of heads. Changed rows are still reported.
        #[arg(long, conflicts_with = "backup")]
        accept_heads: bool,
    },
    /// Back up everything into a new folder, while the service is running
    ///
    /// The folder must not exist, or be empty. The backup contains personal data and password hashes, and only its owner can read it. It
    /// does not contain the installation key: keep a copy elsewhere, because the secrets in the backup cannot be decrypted without it.
    Backup {
        /// Folder to create
        folder: PathBuf,
        /// Include the installation key in the backup; whoever has the backup can then sign in as anyone
        #[arg(long)]
        with_key: bool,
    },
    /// Restore a backup into an installation without a database, or with an empty one
    ///
    /// The backup is checked before anything is written, and the restored rows are compared with its manifest.
    Restore {
        /// Folder of the backup
        folder: PathBuf,
        /// Restore without the installation key of the backup: all sessions, links and second factors become invalid, and the existing
        /// audit log can no longer be verified
        #[arg(long)]
        new_key: bool,
    },
    /// Print an OpenAPI document
    Openapi {
        /// API to describe
        version: ApiDocument,
    },
    /// Manage brands, the tenants of this installation
    #[command(subcommand)]
    Brand(BrandCommand),
    /// Manage users
    #[command(subcommand)]
    User(UserCommand),
    /// Manage the tokens of tester devices, base stations, gateways and service accounts
    #[command(subcommand)]
    Token(TokenCommand),
    /// Import data from files
    #[command(subcommand)]
    Import(ImportCommand),
    /// Simulate worksites, machines and people in a new brand, and days of their events
    ///
    /// The same options with the same --seed and --until produce the same data. To complete an interrupted simulation, run the command
    /// again for its brand.
    Simulate(SimulateOptions),
    /// Manage the keys that sign access tokens
    #[command(subcommand)]
    SigningKey(SigningKeyCommand),
    /// Manage the installation key, which encrypts secrets in the database
    #[command(subcommand)]
    Key(KeyCommand),
}

/// The size of a simulation.
#[derive(Args)]
pub struct SimulateOptions {
    /// Brand by id or name; created if it does not exist, refused if it has machines
    #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
    pub brand: Name,
    /// Number of days
    #[arg(long, value_name = "N", default_value_t = 90)]
    pub days: usize,
    /// Number of projects
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub projects: usize,
    /// Number of worksites, at least one per project
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub sites: usize,
    /// Number of machines, at least one per worksite
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub machines: usize,
    /// Number of staff, at least two per machine and per worksite; visitors come in addition
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub people: usize,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Average number of incursions per machine and day
    #[arg(long, value_name = "N", default_value_t = 46)]
    pub incursions_per_machine_day: u32,
    /// Seconds between two positions of a running machine; 0 for no positions
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub gps_interval_s: u32,
    /// Time at which the simulation ends [default: now]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse)]
    pub until: Option<Timestamp>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ApiDocument {
    V1,
    V2,
    Ingest,
}

#[derive(Subcommand)]
pub enum BrandCommand {
    /// Add a brand
    Create {
        /// Name of the brand
        #[arg(value_parser = Name::parse)]
        name: Name,
    },
    /// List all brands
    List,
}

#[derive(Subcommand)]
pub enum UserCommand {
    /// Add a user who can sign in immediately
    Create {
        /// Brand of the user, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Name,
        /// Email address, unique in the installation
        #[arg(long, value_parser = EmailAddress::parse)]
        email: EmailAddress,
        /// Role: admin, member or viewer
        #[arg(long, value_parser = Role::parse)]
        role: Role,
        /// Name of the user [default: the email address]
        #[arg(long, value_parser = Name::parse)]
        name: Option<Name>,
        #[command(flatten)]
        password: PasswordSource,
    },
    /// Set a new password for a user and end all their sessions
    SetPassword {
        /// Email address of the user
        #[arg(long, value_parser = EmailAddress::parse_stored)]
        email: EmailAddress,
        #[command(flatten)]
        password: PasswordSource,
    },
    /// Remove the second factor and the recovery codes of a user who has lost them
    ResetSecondFactor {
        /// Email address of the user
        #[arg(long, value_parser = EmailAddress::parse_stored)]
        email: EmailAddress,
    },
    /// Change the role, state or projects of a user
    Change {
        /// Email address of the user
        #[arg(long, value_parser = EmailAddress::parse_stored)]
        email: EmailAddress,
        /// Role: admin, member or viewer
        #[arg(long, value_parser = Role::parse)]
        role: Option<Role>,
        /// State: active or deactivated; deactivating ends all sessions immediately
        #[arg(long, value_parser = parse_state)]
        state: Option<UserState>,
        /// Ids of the projects that the user may see, such as 1,2,3; or `all`
        #[arg(long, value_name = "IDS", value_parser = parse_projects)]
        projects: Option<ProjectList>,
    },
    /// List users
    List {
        /// List only the users of this brand, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Option<Name>,
    },
}

#[derive(Clone)]
pub enum ProjectList {
    All,
    Only(Vec<domain::ProjectId>),
}

#[derive(Args)]
pub struct PasswordSource {
    /// Read the password from standard input; otherwise one is generated and printed
    #[arg(long = "password-stdin")]
    pub from_stdin: bool,
    /// The user chose this password and need not change it at the next sign-in
    #[arg(long, requires = "from_stdin")]
    pub chosen: bool,
}

#[derive(Subcommand)]
pub enum TokenCommand {
    /// Issue a token for a device or service account and print it once
    ///
    /// The previous token of a device stops working. That of a service account works for the time of the overlap.
    Issue(TokenIssue),
    /// Revoke a token
    Revoke {
        /// Id of the token, from `token list`, such as 7 or service-7
        #[arg(value_parser = parse_token_id)]
        id: ListedTokenId,
    },
    /// List tokens
    List {
        /// List only the tokens of this brand, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Option<Name>,
    },
}

#[derive(Args)]
pub struct TokenIssue {
    /// Brand of the device or service account, by id or name
    #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
    pub brand: Name,
    /// Kind of the token: tester, station, gateway or service
    #[arg(long, value_parser = parse_token_kind)]
    pub kind: TokenKind,
    /// Name of the device or service account, or serial of the base station; created if it does not exist
    #[arg(long, value_parser = Name::parse)]
    pub name: Name,
    /// Role of a new service account: admin, member or viewer [default: viewer]
    #[arg(long, value_parser = Role::parse)]
    pub role: Option<Role>,
    /// Ids of the projects that a new service account may see, such as 1,2,3; or `all` [default: all]
    #[arg(long, value_name = "IDS", value_parser = parse_projects)]
    pub projects: Option<ProjectList>,
    /// Time at which a new service account expires, at most two years from now [default: in 365 days]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse)]
    pub expires: Option<Timestamp>,
    /// Hours for which the previous token of a service account still works [default: 24]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=168))]
    pub overlap_hours: Option<i64>,
}

/// The kind of whatever a token belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Device(DeviceKind),
    Service,
}

/// The id of a token as `token list` shows it. Devices and service accounts are numbered apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedTokenId {
    Device(TokenId),
    Service(ServiceTokenId),
}

impl fmt::Display for ListedTokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(id) => write!(f, "{id}"),
            Self::Service(id) => write!(f, "service-{id}"),
        }
    }
}

#[derive(Subcommand)]
pub enum ImportCommand {
    /// Import people, machines, tags or base stations from a CSV file: all lines, or none
    Registry {
        /// Brand by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Name,
        /// Contents of the file
        #[arg(long)]
        kind: RegistryKind,
        /// CSV file in UTF-8, separated by commas or semicolons, with a header line
        file: PathBuf,
        /// Check the file without importing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Import events of any age, in the format that base stations and gateways send
    ///
    /// A .ndjson file has one event per line. A .csv file has a header line that names fields of events; an empty cell counts as a missing
    /// field, and positions and zones are possible in .ndjson only. Both may be compressed (.gz or .zst). Known events change nothing, so a
    /// file can be imported again. The command fails if any event was refused, and lists the reasons.
    Events {
        /// Brand by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Name,
        /// File in .ndjson or .csv format
        file: PathBuf,
        /// Only report what would be refused, such as invalid fields and unknown base stations
        #[arg(long)]
        dry_run: bool,
        /// Start at this line, counted from 1, to continue after an interruption
        #[arg(long, value_name = "N", default_value_t = 1)]
        from_line: u64,
    },
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum RegistryKind {
    People,
    Machines,
    Tags,
    BaseStations,
}

#[derive(Subcommand)]
pub enum SigningKeyCommand {
    /// Sign with a new key from now on; existing tokens stay valid until they expire
    Rotate {
        /// End all access tokens and all tokens of service accounts, for example because the key has leaked; sessions go on
        #[arg(long)]
        revoke: bool,
    },
}

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Create the next key without using it yet, so that it can be copied to every host first
    Prepare,
    /// Encrypt all secrets with the next key, which is created if none is prepared
    ///
    /// Other running hosts find the key where it was prepared; without it they respond with 503 until it is there. The service can start
    /// with the keys on disk at any moment. After an interruption, run the command again: it completes the rotation and does not rotate
    /// twice.
    Rotate,
}

fn parse_token_kind(text: &str) -> Result<TokenKind, String> {
    if text == "service" {
        return Ok(TokenKind::Service);
    }
    let kind = DeviceKind::parse(text).map(TokenKind::Device);
    kind.map_err(|_| "must be one of tester, station, gateway, service".to_owned())
}

fn parse_token_id(text: &str) -> Result<ListedTokenId, String> {
    let id = match text.strip_prefix("service-") {
        Some(number) => number.parse().map(ServiceTokenId).map(ListedTokenId::Service),
        None => text.parse().map(TokenId).map(ListedTokenId::Device),
    };
    id.map_err(|_| "must be an id such as 7 or service-7".to_owned())
}

fn parse_state(text: &str) -> Result<UserState, String> {
    match UserState::parse(text) {
        Some(state @ (UserState::Active | UserState::Deactivated)) => Ok(state),
        _ => Err("must be active or deactivated".to_owned()),
    }
}

fn parse_projects(text: &str) -> Result<ProjectList, String> {
    if text == "all" {
        return Ok(ProjectList::All);
    }
    let ids = text.split(',').map(|id| id.trim().parse().map(domain::ProjectId));
    ids.collect::<Result<_, _>>()
        .map(ProjectList::Only)
        .map_err(|_| "must be ids such as 1,2,3, or all".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_tokens_are_read_as_they_are_listed() {
        for id in [ListedTokenId::Device(TokenId(7)), ListedTokenId::Service(ServiceTokenId(7))] {
            assert_eq!(parse_token_id(&id.to_string()), Ok(id));
        }
        for junk in ["", "service-", "service", "x7", "7x"] {
            assert!(parse_token_id(junk).is_err(), "{junk}");
        }
    }

    #[test]
    fn tokens_are_of_devices_or_services() {
        assert!(parse_token_kind("service") == Ok(TokenKind::Service));
        assert!(parse_token_kind("tester") == Ok(TokenKind::Device(DeviceKind::Tester)));
        assert!(parse_token_kind("person").is_err());
    }
}
