//! Roles and what they allow. A permission is a type, so that a handler names it in its signature.

use serde::{Deserialize, Serialize};

use crate::Invalid;

/// What a user may do, in three steps; each includes the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads numbers and registers.
    Viewer,
    /// Also sees names and does the daily work.
    Member,
    /// Also manages users, devices and the brand.
    Admin,
}

impl Role {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Member, Self::Admin];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "viewer" => Ok(Self::Viewer),
            "member" => Ok(Self::Member),
            "admin" => Ok(Self::Admin),
            _ => Err(Invalid::new("invalid_role", "must be one of admin, member, viewer")),
        }
    }

    /// Reads words with commas between them; an empty text is none.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, Invalid> {
        text.split(',').filter(|word| !word.is_empty()).map(Self::parse).collect()
    }

    /// Writes them as they are read.
    pub fn write_list(roles: &[Self]) -> String {
        roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(",")
    }

    /// The names of all permissions of this role, in the order they are declared.
    pub fn permissions(self) -> Vec<&'static str> {
        ALL.iter().filter(|(_, least)| *least <= self).map(|(name, _)| *name).collect()
    }
}

/// Something a caller must be allowed to do; implemented by the marker types of this module.
pub trait Permission: Send + Sync + 'static {
    /// The word for it in answers and in OpenAPI.
    const NAME: &'static str;
    /// The lowest role that has it.
    const MIN_ROLE: Role;
    /// Whether those have it who need a second factor and have none yet.
    const BEFORE_SECOND_FACTOR: bool = false;
}

/// Looks after the own sign-in: who one is, password, second factor, logout. All that is open to those who need a second
/// factor and have none yet; for all others it is [`BeSignedIn`].
#[derive(Clone, Copy, Debug)]
pub struct ManageOwnSignIn;

impl Permission for ManageOwnSignIn {
    const NAME: &'static str = BeSignedIn::NAME;
    const MIN_ROLE: Role = BeSignedIn::MIN_ROLE;
    const BEFORE_SECOND_FACTOR: bool = true;
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident, $word:literal, $least:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Permission for $name {
                const NAME: &'static str = $word;
                const MIN_ROLE: Role = Role::$least;
            }
        )*

        /// Every permission with the lowest role that has it.
        const ALL: &[(&str, Role)] = &[$(($name::NAME, $name::MIN_ROLE)),*];
    };
}

permissions! {
    /// Asks who one is; everyone who signed in may.
    BeSignedIn, "be_signed_in", Viewer;
    /// Reads incursions and every number made of them.
    ReadInsights, "read_insights", Viewer;
    /// Reads projects, sites, machines, people and tags.
    ReadRegistry, "read_registry", Viewer;
    /// Sees people's names.
    ReadNames, "read_names", Member;
    /// Changes projects, sites, machines, people and tags.
    WriteRegistry, "write_registry", Member;
    /// Shares saved views with the brand.
    ShareViews, "share_views", Member;
    /// Says what the office makes of incursions.
    ReviewIncursions, "review_incursions", Member;
    /// Makes people nameless for ever.
    ErasePeople, "erase_people", Admin;
    /// Manages users, their roles and restrictions.
    ManageUsers, "manage_users", Admin;
    /// Manages devices and their tokens.
    ManageDevices, "manage_devices", Admin;
    /// Changes the settings of the brand.
    ManageBrand, "manage_brand", Admin;
    /// Reads the audit log.
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
