//! Temporary folders that are gone when the test process ends, even if it is killed.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// Waits until its standard input closes, which happens however the test process ends; then unmounts what is mounted below the folder
/// and removes it. Processes that the tests started may still be writing, so it tries more than once.
const SUPERVISOR: &str = r#"
trap '' INT TERM HUP
cat >/dev/null
grep -s " $1/" /proc/mounts | cut -d ' ' -f 2 | while read -r mounted; do umount -l "$mounted"; done 2>/dev/null
for attempt in 1 2 3 4 5; do
    rm -rf "$1" 2>/dev/null && [ ! -e "$1" ] && exit
    sleep 1
done
"#;

/// The folder of this test process, which holds all others.
struct RunFolder {
    path: PathBuf,
    /// Holds the pipe open until the process ends.
    _supervisor: Child,
}

/// Creates an empty folder. It is removed when it is dropped, and otherwise with the test process.
pub fn temporary_folder() -> TempDir {
    #[expect(clippy::expect_used, reason = "tests cannot go on without it")]
    tempfile::tempdir_in(&run_folder().path).expect("a temporary folder")
}

fn run_folder() -> &'static RunFolder {
    static FOLDER: OnceLock<RunFolder> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "tests cannot go on without it")]
    FOLDER.get_or_init(|| {
        let folder =
            tempfile::Builder::new().prefix("keepclear-tests-").tempdir().expect("a temporary folder");
        // Servers that run as another user look inside.
        let path = folder.keep();
        let permissions = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
        std::fs::set_permissions(&path, permissions).expect("permissions of a temporary folder");
        let supervisor = Command::new("sh")
            .args(["-c", SUPERVISOR, "keepclear-tests"])
            .arg(&path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a supervisor of the temporary folder");
        RunFolder { path, _supervisor: supervisor }
    })
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::time::Duration;

    use super::*;

    /// Set in the process that the test kills.
    const CHILD: &str = "KEEPCLEAR_TEMPORARY_FOLDER_CHILD";

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the process that is killed runs this test, too")]
    fn a_killed_process_leaves_no_folder_behind() {
        if std::env::var_os(CHILD).is_some() {
            println!("\nfolder {}", temporary_folder().keep().display());
            std::thread::sleep(Duration::from_mins(10));
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "folder::tests::a_killed_process_leaves_no_folder_behind", "--nocapture"])
            .env(CHILD, "")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let path = lines.filter_map(|line| line.strip_prefix("folder ").map(PathBuf::from)).next().unwrap();
        assert!(path.is_dir());
        child.kill().unwrap();
        child.wait().unwrap();
        while path.parent().unwrap().exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
