//! A private PostgreSQL cluster in a temporary folder, run with the installed binaries.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

pub(crate) const USER: &str = "keepclear";

/// Runs the server until its standard input closes, which happens however the test process ends; then stops the server and removes
/// the folder. Compiling expressions would take longer than any of the tests' questions.
const SUPERVISOR: &str = r#"
trap '' INT TERM HUP
"$1"/postgres -D "$2/data" -k "$2" -c listen_addresses='' -c fsync=off -c full_page_writes=off \
    -c synchronous_commit=off -c max_connections=500 -c shared_buffers=64MB -c autovacuum=off -c jit=off >"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -INT "$server" 2>/dev/null
wait "$server"
rm -rf "$2"
"#;

/// The same for a durable cluster, which restarts after it was killed.
const DURABLE_SUPERVISOR: &str = r#"
trap '' INT TERM HUP
while [ ! -e "$2/over" ]; do
    "$1"/postgres -D "$2/data" -k "$2" -c listen_addresses='' -c shared_buffers=64MB >>"$2/log" 2>&1
done &
loop=$!
cat >/dev/null
touch "$2/over"
"$1"/pg_ctl stop -m fast -D "$2/data" >/dev/null 2>&1
wait "$loop"
rm -rf "$2"
"#;

/// A running cluster that listens on a socket in its own folder.
pub struct PostgresCluster {
    bin_dir: PathBuf,
    folder: PathBuf,
    run_as: RunAs,
    supervisor: Child,
    /// Drops databases one after the other; it starts with the first.
    drops: OnceLock<Mutex<Child>>,
    /// Present after the first copy of a template.
    has_strategies: OnceLock<bool>,
}

/// The user that the server runs as. PostgreSQL refuses to run as root.
#[derive(Clone, Debug)]
pub(crate) enum RunAs {
    CurrentUser,
    OtherUser { uid: u32, gid: u32 },
}

/// A file system in memory, where Linux has one.
const MEMORY: &str = "/dev/shm";
/// Databases of tests need less than this, also if many wait to be dropped.
const MIN_MEMORY_KB: u64 = 4 << 20;

/// Returns where clusters that may lose their data are created: in memory if there is enough of it, because each test creates and drops a
/// database of some hundred files.
fn folder_of_fast_clusters() -> PathBuf {
    let has_enough =
        || Some(free_kb(MEMORY)? >= MIN_MEMORY_KB && available_memory_kb()? >= 2 * MIN_MEMORY_KB);
    if has_enough() == Some(true) { PathBuf::from(MEMORY) } else { std::env::temp_dir() }
}

/// Returns the free space of a file system in memory, or None if it is of another kind.
fn free_kb(folder: &str) -> Option<u64> {
    let output = Command::new("df").args(["-P", "-k", "-t", "tmpfs", folder]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

fn available_memory_kb() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

impl PostgresCluster {
    /// Starts a fast cluster that may lose data in a crash. Takes about a second.
    pub fn start() -> Result<Self, String> {
        Self::start_with(SUPERVISOR, folder_of_fast_clusters(), init_cluster)
    }

    /// Starts a cluster that flushes to disk, as in production.
    pub fn start_durable() -> Result<Self, String> {
        Self::start_with(DURABLE_SUPERVISOR, std::env::temp_dir(), init_cluster)
    }

    /// Kills a durable cluster, as if its host had failed, and waits until it has restarted.
    pub fn crash(&self) -> Result<(), String> {
        // The restart is so fast that a wait for the old process to end could see the new one instead, so process ids are compared.
        let before = self.pid();
        let mut command = self.run_as.command(self.bin_dir.join("pg_ctl"));
        run(command.args(["stop", "--no-wait", "-m", "immediate", "-D"]).arg(self.folder.join("data")))?;
        while self.pid().is_none_or(|pid| Some(pid) == before) {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.wait_until_ready()
    }

    /// Returns the process id of the server, if it is running.
    fn pid(&self) -> Option<u32> {
        let text = fs::read_to_string(self.folder.join("data/postmaster.pid")).ok()?;
        text.lines().next()?.trim().parse().ok()
    }

    /// Starts an asynchronous standby that follows this cluster.
    pub fn start_standby(&self) -> Result<Self, String> {
        Self::start_with(SUPERVISOR, folder_of_fast_clusters(), |programs, folder, owner| {
            let mut command = owner.command(programs.join("pg_basebackup"));
            command.args([
                "-h",
                &self.folder.to_string_lossy(),
                "-U",
                USER,
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
            ]);
            run(command.arg("--no-sync").arg("-D").arg(folder.join("data")).current_dir(folder))
        })
    }

    /// Makes a standby receive nothing more, as if its primary could not reach it.
    pub fn stop_receiving(&self) -> Result<(), String> {
        self.psql("alter system set primary_conninfo = ''")?;
        self.psql("select pg_reload_conf()")?;
        while self.psql("select count(*) from pg_stat_wal_receiver")?.trim() != "0" {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Makes a standby the primary, on a timeline of its own, and waits until it accepts writes.
    pub fn promote(&self) -> Result<(), String> {
        match self.psql("select pg_promote()")?.trim() {
            "t" => Ok(()),
            other => Err(format!("the standby was not promoted: {other}")),
        }
    }

    /// Runs a statement as the owner of the cluster and returns what psql prints.
    fn psql(&self, statement: &str) -> Result<String, String> {
        let mut command = Command::new(self.bin_dir.join("psql"));
        command.args([
            "-h",
            &self.folder.to_string_lossy(),
            "-U",
            USER,
            "-d",
            "postgres",
            "-Atqc",
            statement,
        ]);
        let output = command.output().map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// Returns the socket that the server listens on.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    /// Starts a cluster in a new folder below `parent`, whose data folder is made by `create`.
    fn start_with(
        script: &str,
        parent: PathBuf,
        create: impl FnOnce(&Path, &Path, &RunAs) -> Result<(), String>,
    ) -> Result<Self, String> {
        let programs = find_bin_dir()?;
        let owner = choose_run_as()?;
        let folder = tempfile::Builder::new()
            .prefix("keepclear-pg-")
            .tempdir_in(parent)
            .map_err(|error| format!("no temporary folder: {error}"))?
            .keep();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).map_err(|error| error.to_string())?;
        if let RunAs::OtherUser { uid, gid } = owner {
            chown(&folder, Some(uid), Some(gid)).map_err(|error| error.to_string())?;
        }
        create(&programs, &folder, &owner)?;
        let supervisor = owner
            .command("sh")
            .args(["-c", script, "keepclear-postgres"])
            .arg(&programs)
            .arg(&folder)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the supervisor did not start: {error}"))?;
        let cluster = Self {
            bin_dir: programs,
            folder,
            run_as: owner,
            supervisor,
            drops: OnceLock::new(),
            has_strategies: OnceLock::new(),
        };
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    /// Returns the URL of a database in the cluster.
    pub fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user={USER}", self.folder.display())
    }

    /// Creates a database, empty or as a copy of a template that nobody is connected to.
    pub fn create_database(&self, name: &str, template: Option<&str>) -> Result<(), String> {
        let mut command = Command::new(self.bin_dir.join("createdb"));
        command.args(["-h", &self.folder.to_string_lossy(), "-U", USER]);
        if let Some(template) = template {
            command.args(["-T", template]);
            // Files are copied in 39 ms where their pages take 150 ms through the log; older servers know no other way.
            if self.has_strategies() {
                command.args(["--strategy", "file_copy"]);
            }
        }
        run(command.arg(name))
    }

    /// Tells whether the server (15 or newer) can be told how to copy a template.
    fn has_strategies(&self) -> bool {
        *self.has_strategies.get_or_init(|| {
            let printed = Command::new(self.bin_dir.join("createdb")).arg("--help").output();
            printed.is_ok_and(|printed| String::from_utf8_lossy(&printed.stdout).contains("--strategy"))
        })
    }

    /// Drops a database soon, also if somebody is still connected. A run makes some thousand databases of nine megabytes each, and
    /// whoever waits for a drop waits for a checkpoint.
    pub fn drop_database_later(&self, name: &str) {
        let drops = self.drops.get_or_init(|| {
            #[expect(clippy::expect_used, reason = "createdb has just run from the same folder")]
            let psql = Command::new(self.bin_dir.join("psql"))
                .args(["-q", "-h", &self.folder.to_string_lossy(), "-U", USER, "-d", "postgres"])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("psql starts");
            Mutex::new(psql)
        });
        let mut drops = drops.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipe) = &mut drops.stdin {
            // A server that has been stopped meanwhile needs no drop.
            let _ = writeln!(pipe, "drop database if exists {name} with (force);");
        }
    }

    /// Creates an empty database whose files are in another folder, for instance on another disk.
    pub fn create_database_in(&self, name: &str, folder: &Path) -> Result<(), String> {
        let tablespace_folder = folder.join(name);
        fs::create_dir(&tablespace_folder).map_err(|error| error.to_string())?;
        if let RunAs::OtherUser { uid, gid } = self.run_as {
            chown(&tablespace_folder, Some(uid), Some(gid)).map_err(|error| error.to_string())?;
        }
        let socket = self.folder.to_string_lossy();
        let create_tablespace =
            format!("create tablespace {name} location '{}'", tablespace_folder.display());
        let mut command = Command::new(self.bin_dir.join("psql"));
        run(command.args(["-q", "-h", &socket, "-U", USER, "-d", "postgres", "-c", &create_tablespace]))?;
        let mut command = Command::new(self.bin_dir.join("createdb"));
        run(command.args(["-h", &socket, "-U", USER, "-D", name, name]))
    }

    /// Restores a dump written by `pg_dump --format=custom` into an empty database.
    pub fn load_dump(&self, name: &str, dump: &Path) -> Result<(), String> {
        let mut command = Command::new(self.bin_dir.join("pg_restore"));
        command.args(["-h", &self.folder.to_string_lossy(), "-U", USER, "-d", name]);
        run(command.args(["--no-owner", "--exit-on-error"]).arg(dump))
    }

    fn wait_until_ready(&self) -> Result<(), String> {
        let folder = self.folder.to_string_lossy();
        for _ in 0..2_400 {
            let ready = Command::new(self.bin_dir.join("pg_isready"))
                .args(["-q", "-h", &folder, "-U", USER])
                .status()
                .map_err(|error| error.to_string())?;
            if ready.success() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        Err(format!("PostgreSQL did not become ready as {:?}:\n{log}", self.run_as))
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        if let Some(drops) = self.drops.take() {
            let mut psql = drops.into_inner().unwrap_or_else(PoisonError::into_inner);
            drop(psql.stdin.take());
            let _ = psql.wait();
        }
        // Closing the pipe tells the supervisor to stop.
        if let Some(mut pipe) = self.supervisor.stdin.take() {
            let _ = pipe.flush();
        }
        let _ = self.supervisor.wait();
    }
}

impl RunAs {
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        match self {
            Self::CurrentUser => Command::new(program),
            Self::OtherUser { uid, gid } => {
                let mut command = Command::new("setpriv");
                command
                    .args([format!("--reuid={uid}"), format!("--regid={gid}"), "--clear-groups".to_owned()])
                    .arg("--")
                    .arg(program);
                command
            }
        }
    }
}

/// Initialises the cluster. Its default collation is that of a language where possible, so that queries which wrongly rely on the
/// default collation fail in tests.
fn init_cluster(programs: &Path, folder: &Path, owner: &RunAs) -> Result<(), String> {
    let attempt = |locale: &[&str]| {
        let mut command = owner.command(programs.join("initdb"));
        command.arg("-D").arg(folder.join("data")).args([
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ]);
        run(command.args(locale).current_dir(folder))
    };
    let icu = ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C"];
    attempt(&icu).or_else(|_| {
        let _ = fs::remove_dir_all(folder.join("data"));
        attempt(&["--locale=C"])
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{:?}: {error}", command.get_program()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim_end()))
}

/// Finds the folder with initdb and the other programs: on the PATH, or the newest version that Debian's packages installed.
pub(crate) fn find_bin_dir() -> Result<PathBuf, String> {
    #[expect(clippy::disallowed_methods, reason = "the PATH is the machine's, not our configuration")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("initdb"));
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin/initdb")))
        })
        .collect();
    versions.sort();
    on_path
        .chain(versions.into_iter().rev().map(|(_, path)| path))
        .filter_map(|initdb| initdb.canonicalize().ok())
        .filter_map(|initdb| initdb.parent().map(Path::to_owned))
        .find(|folder| {
            ["initdb", "postgres", "createdb", "pg_isready"].iter().all(|name| folder.join(name).is_file())
        })
        .ok_or_else(|| {
            "PostgreSQL is not installed: tests need its server (Debian: apt-get install postgresql)"
                .to_owned()
        })
}

/// Chooses the current user; for root, the user of Debian's package, or nobody.
pub(crate) fn choose_run_as() -> Result<RunAs, String> {
    let uid = fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?.uid();
    if uid != 0 {
        return Ok(RunAs::CurrentUser);
    }
    let users = fs::read_to_string("/etc/passwd").map_err(|error| format!("/etc/passwd: {error}"))?;
    let find = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some(RunAs::OtherUser { uid: fields.next()?.parse().ok()?, gid: fields.next()?.parse().ok()? })
    };
    find("postgres").or_else(|| find("nobody")).ok_or_else(|| {
        "PostgreSQL cannot run as root, and there is neither a user postgres nor nobody to run it as"
            .to_owned()
    })
}
