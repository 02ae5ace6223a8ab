//! Roles and permissions. A permission is a type, so that a handler names the one it needs in its signature.

use serde::{Deserialize, Serialize};

use crate::Invalid;

/// A user's role. Each role includes the permissions of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads insights and the registry, without people's names.
    Viewer,
    /// Also sees names, changes the registry and reviews incursions.
    Member,
    Admin,
}

impl Role {
    /// All roles, from the lowest to the highest.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Member, Self::Admin];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "viewer" => Ok(Self::Viewer),
            "member" => Ok(Self::Member),
            "admin" => Ok(Self::Admin),
            _ => Err(Invalid::new("invalid_role", "must be one of admin, member, viewer")),
        }
    }

    /// Parses a comma-separated list; an empty text is an empty list.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, Invalid> {
        text.split(',').filter(|word| !word.is_empty()).map(Self::parse).collect()
    }

    /// Writes the list that [`Role::parse_list`] reads.
    pub fn write_list(roles: &[Self]) -> String {
        roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Returns the names of all permissions of this role, in declaration order.
    pub fn permissions(self) -> Vec<&'static str> {
        ALL.iter().filter(|(_, least, _)| *least <= self).map(|(name, ..)| *name).collect()
    }

    /// Returns the names of all permissions that a service account with this role has.
    pub fn permissions_of_service_accounts(self) -> Vec<&'static str> {
        let open = ALL.iter().filter(|(_, least, is_open)| *least <= self && *is_open);
        open.map(|(name, ..)| *name).collect()
    }
}

/// A permission that a handler requires of its caller; implemented by the marker types of this module.
pub trait Permission: Send + Sync + 'static {
    /// The name in API responses and in OpenAPI.
    const NAME: &'static str;
    const MIN_ROLE: Role;
    /// Whether users who must set up a second factor but have not done so yet already have this permission.
    const BEFORE_SECOND_FACTOR: bool = false;
    /// Whether service accounts can have this permission. They grant nobody access, and have no sign-in or preferences of their own.
    const FOR_SERVICE_ACCOUNTS: bool = true;
}

/// Manages the caller's own sign-in: profile, password, second factor and logout. These operations are also open to users who
/// must still set up a second factor; in every other respect this permission equals [`BeSignedIn`].
#[derive(Clone, Copy, Debug)]
pub struct ManageOwnSignIn;

impl Permission for ManageOwnSignIn {
    const NAME: &'static str = BeSignedIn::NAME;
    const MIN_ROLE: Role = BeSignedIn::MIN_ROLE;
    const BEFORE_SECOND_FACTOR: bool = true;
    const FOR_SERVICE_ACCOUNTS: bool = false;
}

/// Reads the identity behind the presented credential. Unlike [`ManageOwnSignIn`], it is also open to service accounts.
#[derive(Clone, Copy, Debug)]
pub struct ReadOwnIdentity;

impl Permission for ReadOwnIdentity {
    const NAME: &'static str = BeSignedIn::NAME;
    const MIN_ROLE: Role = BeSignedIn::MIN_ROLE;
    const BEFORE_SECOND_FACTOR: bool = true;
}

/// Manages the caller's own preferences. It equals [`BeSignedIn`], except that service accounts have no preferences.
#[derive(Clone, Copy, Debug)]
pub struct ManageOwnPreferences;

impl Permission for ManageOwnPreferences {
    const NAME: &'static str = BeSignedIn::NAME;
    const MIN_ROLE: Role = BeSignedIn::MIN_ROLE;
    const FOR_SERVICE_ACCOUNTS: bool = false;
}

macro_rules! is_for_service_accounts {
    () => {
        true
    };
    (people_only) => {
        false
    };
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident, $word:literal, $least:ident $(, $people_only:ident)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Permission for $name {
                const NAME: &'static str = $word;
                const MIN_ROLE: Role = Role::$least;
                const FOR_SERVICE_ACCOUNTS: bool = is_for_service_accounts!($($people_only)?);
            }
        )*

        /// Every permission with the lowest role that has it, and whether service accounts can have it.
        const ALL: &[(&str, Role, bool)] = &[$(($name::NAME, $name::MIN_ROLE, $name::FOR_SERVICE_ACCOUNTS)),*];
    };
}

permissions! {
    /// Requires only that the caller is signed in.
    BeSignedIn, "be_signed_in", Viewer;
    /// Reads incursions and all figures computed from them.
    ReadInsights, "read_insights", Viewer;
    /// Reads projects, worksites, machines, people and tags.
    ReadRegistry, "read_registry", Viewer;
    ReadNames, "read_names", Member;
    /// Changes projects, worksites, machines, people and tags.
    WriteRegistry, "write_registry", Member;
    ShareViews, "share_views", Member;
    /// Schedules reports that are mailed.
    ScheduleReports, "schedule_reports", Member;
    /// Creates and changes alerts.
    ManageAlerts, "manage_alerts", Member;
    /// Sets the review of incursions.
    ReviewIncursions, "review_incursions", Member;
    /// Removes people's personal data irrevocably.
    ErasePeople, "erase_people", Admin;
    /// Manages users and service accounts, their roles and their restriction to projects.
    ManageUsers, "manage_users", Admin, people_only;
    ManageDevices, "manage_devices", Admin, people_only;
    ManageBrand, "manage_brand", Admin, people_only;
    ReadAudit, "read_audit", Admin;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_includes_the_one_before() {
        let (viewer, member, admin) =
            (Role::Viewer.permissions(), Role::Member.permissions(), Role::Admin.permissions());
        assert!(viewer.iter().all(|p| member.contains(p)));
        assert!(member.iter().all(|p| admin.contains(p)));
        assert_eq!(admin.len(), ALL.len());
        assert!(!member.contains(&ManageUsers::NAME));
    }

    #[test]
    fn service_accounts_have_no_permission_that_grants_access() {
        let (person, program) = (Role::Admin.permissions(), Role::Admin.permissions_of_service_accounts());
        let missing: Vec<_> = person.into_iter().filter(|name| !program.contains(name)).collect();
        assert_eq!(missing, [ManageUsers::NAME, ManageDevices::NAME, ManageBrand::NAME]);
        assert_eq!(Role::Viewer.permissions_of_service_accounts(), Role::Viewer.permissions());
    }

    #[test]
    fn words_are_read_back() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Ok(role));
        }
        assert!(Role::parse("root").is_err());
        for list in [&[][..], &[Role::Admin], &Role::ALL] {
            assert_eq!(Role::parse_list(&Role::write_list(list)), Ok(list.to_vec()));
        }
    }
}
