//! Rows: SQLite and PostgreSQL behind one SQL text.
//!
//! This is the only crate that knows `sqlx`. Queries stand in one module per resource, as methods of an accessor
//! that a transaction gives out for a [`Scope`] (brand tables) or against a [`Platform`] (what has no brand yet).
//! Only `dialect.rs` may branch on the engine.

mod account_links;
mod audit;
mod brand_settings;
mod brands;
mod config;
mod devices;
mod dialect;
mod error;
mod idempotency;
mod installation;
mod jobs;
mod login_refusals;
mod machine_assignments;
mod machines;
mod migrate;
mod page;
mod people;
mod pool;
mod projects;
mod row;
mod scope;
mod sessions;
mod statement;
mod tag_assignments;
mod tag_tests;
mod tags;
mod tester_devices;
mod tokens;
mod tx;
mod users;
mod visitor_sessions;
mod worksite_terms;
mod worksites;

pub use account_links::{AccountLink, AccountLinks, AddressedLink, NewAccountLink};
pub use audit::{AuditFilter, AuditRow, Audits, AuditsOfBrand, ChainState, NewAudit, RecordedChain, Seal};
pub use brand_settings::{BrandSettings, Logo, SettingValues};
pub use brands::{Brand, Brands, Counters};
pub use config::{Address, Config};
pub use devices::{Device, Devices};
pub use dialect::ColumnShape;
pub use error::Error;
pub use idempotency::{Answer, IdempotencyKey, IdempotencyKeys};
pub use installation::{Installation, Installations, SigningKey};
pub use jobs::{ClaimedJob, JobCounts, Jobs, NewJob};
pub use login_refusals::{LoginRefusals, Pressure, Refusals};
pub use machine_assignments::{MachineAssignment, MachineAssignments};
pub use machines::{Machine, MachineFilter, Machines, NewMachine};
pub use migrate::SchemaState;
pub use page::{Cursor, Page, PageRequest};
pub use people::{NewPerson, People, PeopleFilter, Person};
pub use pool::{PoolState, Store};
pub use projects::{NewProject, Project, ProjectFilter, ProjectsOfBrand};
pub use scope::{Platform, Projects, Scope};
pub use sessions::{NewSession, OpenSession, Session, SessionKind, Sessions, SignedIn};
pub use tag_assignments::{Actor, Assignment, AssignmentFilter, TagAssignments};
pub use tag_tests::{NewTagTest, TagTest, TagTests};
pub use tags::{Tag, Tags};
pub use tester_devices::{TesterDevice, TesterDevices, TokenSummary};
pub use tokens::{LiveToken, Token, Tokens};
pub use tx::Tx;
pub use users::{NewUser, User, UserFilter, UserWithSecret, Users, UsersOfBrand};
pub use visitor_sessions::{NewVisit, Visit, VisitFilter, VisitorSessions};
pub use worksite_terms::{DatedBoundary, TermChange, WorksiteTerm, WorksiteTerms};
pub use worksites::{KeptBoundary, NewWorksite, Worksite, WorksiteFilter, WorksiteVersion, Worksites};
