//! The command line. Scripts rely on these names.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::{DeviceKind, EmailAddress, Name, Role, Timestamp, UserState};

/// Workplace-safety data: takes in who came too close to which machine, keeps it, and answers for it.
#[derive(Parser)]
#[command(name = "keepclear", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalOptions,
    #[command(subcommand)]
    pub command: Command,
}

/// Where data and configuration are. Every command takes these.
#[derive(Args)]
pub struct GlobalOptions {
    /// The data folder [default: ./data]
    #[arg(long, global = true, value_name = "DIR", env = "KEEPCLEAR_DATA")]
    pub data: Option<PathBuf>,
    /// The database: postgres://… or sqlite:PATH [default: the SQLite file in the data folder]
    #[arg(long, global = true, value_name = "URL", env = "KEEPCLEAR_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// A file of configuration to lay over the defaults
    #[arg(long, global = true, value_name = "FILE", env = "KEEPCLEAR_CONFIG")]
    pub config: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve over HTTP; migrates by itself, and makes a first admin while there is no user
    Serve {
        /// Where to listen [default: 127.0.0.1:8080]
        #[arg(long, value_name = "ADDRESS", env = "KEEPCLEAR_LISTEN")]
        listen: Option<SocketAddr>,
        /// Before the first start over an empty database, simulate 90 days of a brand called Demo
        #[arg(long)]
        demo: bool,
    },
    /// Do jobs without serving: sends mails, tidies up; migrates by itself
    Worker,
    /// Bring the database's schema up to date
    Migrate,
    /// Validate configuration, database, audit log and video without serving; or a backup, by itself
    ///
    /// Every clip's object must be there and as long as its row says. The audit log must hold by itself, and hold every head that
    /// was recorded outside the database. Of a backup, files, rows and what they come to are compared with its manifest.
    Check {
        /// Also read every page of SQLite, and every object to compare its bytes with what was sent
        #[arg(long)]
        deep: bool,
        /// Look at this backup instead
        #[arg(long, value_name = "FOLDER", conflicts_with = "deep")]
        backup: Option<PathBuf>,
        /// Compare the audit log with the heads in this file too, such as another host's audit-heads.log; may be given several times
        #[arg(long, value_name = "FILE", conflicts_with = "backup")]
        heads: Vec<PathBuf>,
        /// Take the audit chains as they are from here on, when you know why recorded heads are gone or chains were cut off
        ///
        /// It is recorded in the audit log and in the file of heads. Rows that were changed are found all the same.
        #[arg(long, conflicts_with = "backup")]
        accept_heads: bool,
    },
    /// Copy everything into a new folder, while the service goes on
    ///
    /// The folder must not be there, or be empty. It holds personal data and hashes of passwords, and only its owner can read it.
    /// The installation key is left out: keep it elsewhere, since without it the secrets in the backup cannot be opened.
    Backup {
        /// The folder to make
        folder: PathBuf,
        /// Put the installation key into the backup; whoever has both can sign in as anyone
        #[arg(long)]
        with_key: bool,
    },
    /// Bring a backup back, where there is no database yet, or an empty one
    ///
    /// The backup is checked before anything is written, and the rows are compared with its manifest after.
    Restore {
        /// The folder of the backup
        folder: PathBuf,
        /// Go on without the installation key of the backup: all sessions, links and second factors end, and the audit log so far
        /// cannot be checked any more
        #[arg(long)]
        new_key: bool,
    },
    /// Print an OpenAPI document
    Openapi {
        /// Which one
        version: ApiDocument,
    },
    /// Brands: the tenants of this installation
    #[command(subcommand)]
    Brand(BrandCommand),
    /// Users: people who sign in
    #[command(subcommand)]
    User(UserCommand),
    /// Tokens of tester devices, base stations and gateways
    #[command(subcommand)]
    Token(TokenCommand),
    /// Bring in what files hold
    #[command(subcommand)]
    Import(ImportCommand),
    /// Make up worksites, machines and people in a new brand, and days of what happens there
    ///
    /// The same options with the same seed and the same --until make the same world. A simulation that was interrupted
    /// is completed as it was begun when the command runs again for its brand.
    Simulate(SimulateOptions),
    /// Keys that sign access tokens
    #[command(subcommand)]
    SigningKey(SigningKeyCommand),
    /// The installation key, with which secrets in the database are sealed
    #[command(subcommand)]
    Key(KeyCommand),
}

/// How large a world is made up, and for how long it is watched.
#[derive(Args)]
pub struct SimulateOptions {
    /// The brand it goes into, by id or name; made if there is none, refused if it has machines
    #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
    pub brand: Name,
    /// Days that are watched
    #[arg(long, value_name = "N", default_value_t = 90)]
    pub days: usize,
    /// Projects
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub projects: usize,
    /// Worksites, one for each project at least
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub sites: usize,
    /// Machines, one for each worksite at least
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub machines: usize,
    /// Staff, two for each machine and each worksite at least; visitors come on top
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub people: usize,
    /// Decides everything that chance would
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Incursions of a machine on a day, on average
    #[arg(long, value_name = "N", default_value_t = 46)]
    pub incursions_per_machine_day: u32,
    /// Seconds between two positions of a running machine; 0 for no positions
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub gps_interval_s: u32,
    /// When the days end [default: now]
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
        /// What it is called
        #[arg(value_parser = Name::parse)]
        name: Name,
    },
    /// List the brands
    List,
}

#[derive(Subcommand)]
pub enum UserCommand {
    /// Add a user who can sign in at once
    Create {
        /// The brand they belong to, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Name,
        /// Their email, unique in the installation
        #[arg(long, value_parser = EmailAddress::parse)]
        email: EmailAddress,
        /// What they may do: admin, member or viewer
        #[arg(long, value_parser = Role::parse)]
        role: Role,
        /// What they are called [default: their email]
        #[arg(long, value_parser = Name::parse)]
        name: Option<Name>,
        #[command(flatten)]
        password: PasswordSource,
    },
    /// Give a user a new password; all their sessions end
    SetPassword {
        /// Whose
        #[arg(long, value_parser = EmailAddress::parse)]
        email: EmailAddress,
        #[command(flatten)]
        password: PasswordSource,
    },
    /// Remove the second factor of a user who has lost it, with its recovery codes
    ResetSecondFactor {
        /// Whose
        #[arg(long, value_parser = EmailAddress::parse)]
        email: EmailAddress,
    },
    /// Change what a user may do; what is not named stays
    Change {
        /// Whose
        #[arg(long, value_parser = EmailAddress::parse)]
        email: EmailAddress,
        /// admin, member or viewer
        #[arg(long, value_parser = Role::parse)]
        role: Option<Role>,
        /// active or deactivated; a deactivated user is out at once
        #[arg(long, value_parser = parse_state)]
        state: Option<UserState>,
        /// The ids of the only projects they see, as 1,2,3; or `all`
        #[arg(long, value_name = "IDS", value_parser = parse_projects)]
        projects: Option<ProjectList>,
    },
    /// List users
    List {
        /// Only of this brand, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Option<Name>,
    },
}

/// The projects of `--projects`.
#[derive(Clone)]
pub enum ProjectList {
    All,
    Only(Vec<domain::ProjectId>),
}

/// Where a password comes from.
#[derive(Args)]
pub struct PasswordSource {
    /// Read the password from standard input; else one is made and printed
    #[arg(long = "password-stdin")]
    pub from_stdin: bool,
    /// The user chose this password: do not ask them to change it when they sign in
    #[arg(long, requires = "from_stdin")]
    pub chosen: bool,
}

#[derive(Subcommand)]
pub enum TokenCommand {
    /// Issue a device's token and print it, this once; an older one of the device stops working
    Issue {
        /// The brand of the device, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Name,
        /// tester, station or gateway
        #[arg(long, value_parser = DeviceKind::parse)]
        kind: DeviceKind,
        /// The device's name, a base station's serial; made if there is none
        #[arg(long, value_parser = Name::parse)]
        name: Name,
    },
    /// End a token for good
    Revoke {
        /// Its id, from `token list`
        id: i64,
    },
    /// List tokens
    List {
        /// Only of this brand, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Option<Name>,
    },
}

#[derive(Subcommand)]
pub enum ImportCommand {
    /// Add the people, machines, tags or base stations of a CSV file: all of them, or none
    Registry {
        /// The brand they belong to, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Name,
        /// What the file holds
        #[arg(long)]
        kind: RegistryKind,
        /// The file: UTF-8, with commas or semicolons, and a head that names the columns
        file: PathBuf,
        /// Only check everything, as if it were added
        #[arg(long)]
        dry_run: bool,
    },
    /// Bring in events of any age, as stations and gateways send them
    ///
    /// A file in .ndjson has an event a line; one in .csv has a head that names fields of events, where an empty cell is as if
    /// it were not there (positions and zones only in .ndjson). Either may end in .gz or .zst. What is known changes nothing, so
    /// a file can be brought in again. Fails if anything was refused, and tells what and why.
    Events {
        /// The brand they belong to, by id or name
        #[arg(long, value_name = "ID|NAME", value_parser = Name::parse)]
        brand: Name,
        /// The file, in .ndjson or .csv
        file: PathBuf,
        /// Only tell what would be refused: fields that are wrong, stations that are unknown
        #[arg(long)]
        dry_run: bool,
        /// Go on from this line, counted from 1, after an interruption
        #[arg(long, value_name = "N", default_value_t = 1)]
        from_line: u64,
    },
}

/// What a file holds.
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
    /// Sign with a new key from now on; what the old one signed stays good until it expires
    Rotate,
}

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Make the next key without using it yet, so that it can be copied to every host first
    Prepare,
    /// Seal everything with the next key, which is made if none is prepared
    ///
    /// Other hosts that run find it where it was prepared; without it they answer nothing but 503 until it is there. At every
    /// moment the service starts with what is on disk. If it is interrupted, run it again: that completes it, and rotates no second
    /// time.
    Rotate,
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
