//! The first line of a migration, by which it says which older programs may run beside it.
//!
//! While the hosts of an installation are upgraded one by one, the older ones go on over a schema that a newer one has changed. The line is
//! `-- beside: NAME` with the migration that a program must know to do so, usually the newest one of the version before, or
//! `-- beside: none` if older programs must be stopped first. The migrations of the first versions have no such line.
//!
//! What removes or renames something waits one version: the version before must not use it any more. Such a migration names, in its
//! second line, `-- unused since: NAME`, the last migration of the first version that does without.

const MARK: &str = "-- beside: ";
const NO_PROGRAM: &str = "none";

/// Returns the migration that a program must know to run beside the one with this text; none if no older program may.
pub(super) fn beside(text: &'static str) -> Option<&'static str> {
    mark(text, MARK).filter(|name| *name != NO_PROGRAM)
}

/// Returns the value of a line of the head of a migration, which are the comments at its beginning.
fn mark(text: &'static str, name: &str) -> Option<&'static str> {
    let head = text.lines().take_while(|line| line.starts_with("--"));
    head.filter_map(|line| line.strip_prefix(name)).map(str::trim).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::migrate::texts;

    /// The newest migration of the version before this one. It moves with each release, and everything later must say whether that
    /// version may run beside it.
    const LAST_OF_VERSION_BEFORE: &str = "0038_last_received_runtime";

    const UNUSED: &str = "-- unused since: ";

    /// Beginnings of statements, or parts of `alter table`, after which a program that does not know of them can fail. Statements name no
    /// index, so that one may be dropped unless `on conflict` relies on it.
    const REMOVALS: &[&str] = &[
        "drop table",
        "drop column",
        "drop view",
        "drop default",
        "drop constraint",
        "rename to",
        "rename column",
        "set not null",
        "alter column",
        "add constraint",
        "add check",
        "create unique index",
    ];

    /// Returns the statements of a migration in lower case, with one space between words and without comments.
    fn statements(text: &str) -> Vec<String> {
        let code: Vec<&str> = text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
        let words = |statement: &str| {
            statement.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
        };
        code.join("\n").split(';').map(words).filter(|statement| !statement.is_empty()).collect()
    }

    /// Returns the part of a statement that removes, renames or restricts something.
    fn removal(statement: &str) -> Option<&'static str> {
        let padded = format!(" {statement} ");
        let found = REMOVALS.iter().find(|part| padded.contains(&format!(" {part} "))).copied();
        // An older program does not give the column a value.
        let demands_value = statement.starts_with("alter table")
            && padded.contains(" add column ")
            && padded.contains(" not null ")
            && !padded.contains(" default ");
        found.or(demands_value.then_some("add column not null without a default"))
    }

    /// Returns what is wrong with the marks of a migration. `before` are the names of all earlier ones.
    fn fault(text: &'static str, before: &[&str]) -> Option<String> {
        let Some(says) = mark(text, MARK) else {
            return Some(format!("the first line must begin with {MARK:?}"));
        };
        let at = |name: &str| before.iter().position(|known| *known == name);
        let last = at(LAST_OF_VERSION_BEFORE);
        if says != NO_PROGRAM && at(says).is_none_or(|known| Some(known) > last) {
            return Some(format!("{says:?} is no migration of an earlier version"));
        }
        let removal = statements(text).iter().find_map(|statement| removal(statement))?;
        let Some(unused) = mark(text, UNUSED) else {
            return Some(format!("{removal:?} needs a line that begins with {UNUSED:?}"));
        };
        if at(unused).is_none_or(|known| Some(known) > last) {
            return Some(format!("{removal:?} waits one version: {unused:?} is of this one"));
        }
        let reaches = says == NO_PROGRAM || at(says) >= at(unused);
        (!reaches).then(|| format!("{removal:?} must not run beside programs older than {unused:?}"))
    }

    #[test]
    fn every_new_migration_says_what_may_run_beside_it() {
        let all = texts();
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        assert!(names.is_sorted() && names.contains(&LAST_OF_VERSION_BEFORE));
        for (number, (name, texts)) in all.iter().enumerate() {
            let [sqlite, postgres] = texts.map(|text| (mark(text, MARK), mark(text, UNUSED)));
            assert_eq!(sqlite, postgres, "{name} says the same for both engines");
            if *name > LAST_OF_VERSION_BEFORE {
                for text in *texts {
                    assert_eq!(fault(text, &names[..number]), None, "{name}");
                }
            } else {
                assert_eq!(sqlite.0, None, "{name} has landed and is not edited");
            }
        }
    }

    #[test]
    fn no_new_migration_drops_a_unique_index() {
        let all = texts();
        let unique: Vec<String> = all
            .iter()
            .flat_map(|(_, texts)| texts.iter().flat_map(|text| statements(text)))
            .filter_map(|statement| {
                // Perhaps after `if not exists`.
                let (name, _) = statement.strip_prefix("create unique index ")?.split_once(" on ")?;
                name.split(' ').next_back().map(str::to_owned)
            })
            .collect();
        assert!(unique.iter().any(|name| name == "incursions_by_uid"), "{unique:?}");
        for (name, texts) in all.iter().filter(|(name, _)| *name > LAST_OF_VERSION_BEFORE) {
            for statement in texts.iter().flat_map(|text| statements(text)) {
                // One or several, perhaps after `if exists`.
                let dropped = statement.strip_prefix("drop index ").unwrap_or_default();
                let is_unique = |word: &str| unique.iter().any(|index| index == word);
                assert!(!dropped.split([' ', ',']).any(is_unique), "{name}: {statement}");
            }
        }
    }

    #[test]
    fn what_removes_without_its_mark_is_found() {
        let before = ["0037_cleared_values", LAST_OF_VERSION_BEFORE, "0039_of_this_version"];
        let ok = |text| fault(text, &before).is_none();
        assert!(ok("-- beside: 0038_last_received_runtime\ncreate table a (b bigint not null);"));
        assert!(ok(
            "-- beside: 0038_last_received_runtime\nalter table a add column c bigint not null default 0;"
        ));
        assert!(ok(
            "-- beside: 0038_last_received_runtime\ndrop index a_by_b;\ncreate index a_by_b on a (b);"
        ));
        assert!(ok("-- beside: none\n-- unused since: 0037_cleared_values\nalter table a drop column b;"));
        assert!(ok(
            "-- beside: 0038_last_received_runtime\n-- unused since: 0037_cleared_values\ndrop table a;"
        ));
        for text in [
            "create table a (b bigint);",
            "create table a (b bigint);\n-- beside: 0038_last_received_runtime\n",
            "-- beside: 0039_of_this_version\ncreate table a (b bigint);",
            "-- beside: 0099_unknown\ncreate table a (b bigint);",
            "-- beside: 0038_last_received_runtime\ndrop table a;",
            "-- beside: 0038_last_received_runtime\ncreate unique index a_by_b on a (b);",
            "-- beside: none\nalter table a\n    drop column b;",
            "-- beside: none\n-- unused since: 0039_of_this_version\nALTER TABLE a RENAME COLUMN b TO c;",
            "-- beside: 0037_cleared_values\n-- unused since: 0038_last_received_runtime\ndrop table a;",
            "-- beside: 0038_last_received_runtime\nalter table a add column c bigint not null;",
            "-- beside: 0038_last_received_runtime\nalter table a rename to b;",
        ] {
            assert!(!ok(text), "{text}");
        }
    }

    #[test]
    fn a_mark_is_a_line_of_the_head() {
        assert_eq!(beside("-- beside: 0001_foundation\nselect 1;"), Some("0001_foundation"));
        assert_eq!(beside("-- What it is for.\n-- beside: 0001_foundation\n"), Some("0001_foundation"));
        assert_eq!(beside("-- beside: none\n"), None);
        assert_eq!(beside("select 1;\n-- beside: 0001_foundation\n"), None);
    }
}
