//! The author of a change.

/// The author of a change.
#[derive(Clone, Debug)]
pub struct Actor {
    pub kind: ActorKind,
    /// The id of the user, service account or tester device; none for the others.
    pub id: Option<i64>,
    /// None for those who have none, and if it is hidden or not known here.
    pub name: Option<String>,
}

/// Whoever has the same kind and id is the same, whatever is known of the name.
impl PartialEq for Actor {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.id) == (other.kind, other.id)
    }
}

impl Eq for Actor {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorKind {
    User,
    /// A program. Its id is that of its row among the users.
    ServiceAccount,
    TesterDevice,
    /// Someone with a shell on the server.
    CommandLine,
    /// Keepclear itself.
    Service,
}

impl ActorKind {
    pub const ALL: [Self; 5] =
        [Self::User, Self::ServiceAccount, Self::TesterDevice, Self::CommandLine, Self::Service];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::ServiceAccount => "service_account",
            Self::TesterDevice => "tester_device",
            Self::CommandLine => "command_line",
            Self::Service => "service",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for kind in ActorKind::ALL {
            assert_eq!(ActorKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(ActorKind::parse("nobody"), None);
    }
}
