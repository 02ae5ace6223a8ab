//! The command line, as scripts use it.

mod backup;
mod import_events;
mod simulate;

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};

use testkit::{Database, Engine, Process, on_both_engines};

use crate::program;

on_both_engines!(
    a_script_sets_up_an_installation,
    a_script_gets_a_token_for_a_program,
    what_is_wrong_is_said_and_fails,
    check_finds_what_is_wrong,
    the_first_start_says_how_to_go_on,
    a_deep_check_reads_every_page,
    files_of_the_registry_are_added_whole_or_not_at_all,
);

fn run(database: &Database, arguments: &[&str], input: &str) -> Output {
    Process::run(program(), database, arguments, input)
}

#[track_caller]
fn expect_success(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn expect_failure(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(
        output.stdout.is_empty() || output.stdout.starts_with(b"configuration   good"),
        "faults go to standard error"
    );
    String::from_utf8(output.stderr.clone()).unwrap()
}

async fn a_script_sets_up_an_installation(engine: Engine) {
    // An empty database, which every command migrates by itself.
    let database = Database::empty(engine);
    expect_success(&run(&database, &["brand", "create", "Acme Works"], ""));
    let create = ["user", "create", "--brand", "acme works", "--email", "ada@example.com", "--role", "admin"];
    let made = expect_success(&run(
        &database,
        &[&create[..], &["--password-stdin"]].concat(),
        "plum wagon sixty tiles\n",
    ));
    assert!(made.contains("admin ada@example.com"), "{made}");
    let made = ["user", "create", "--brand", "Acme Works", "--email", "bob@example.com", "--role", "viewer"];
    assert!(expect_success(&run(&database, &made, "")).contains("shown once"));

    let issue = ["token", "issue", "--brand", "Acme Works", "--kind", "tester", "--name", "Gate 1"];
    let first = expect_success(&run(&database, &issue, ""));
    assert!(first.starts_with("kct_") && first.trim().len() == 47, "{first}");
    let second = run(&database, &issue, "");
    assert!(String::from_utf8_lossy(&second.stderr).contains("no longer works"));
    let second = expect_success(&second);
    for kind in ["station", "gateway"] {
        expect_success(&run(
            &database,
            &["token", "issue", "--brand", "Acme Works", "--kind", kind, "--name", "X-1"],
            "",
        ));
    }

    // While a server runs on the same data.
    let server = Process::serve(program(), &database, &[]);
    let ask = |token: &str| {
        let token = token.trim();
        server.send_raw(&format!(
            "GET /api/v1/tester/people_assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        ))
    };
    assert!(ask(&second).starts_with("HTTP/1.1 200"));
    assert!(ask(&first).starts_with("HTTP/1.1 401"));
    let tokens = expect_success(&run(&database, &["token", "list", "--brand", "Acme Works"], ""));
    assert_eq!(tokens.lines().count(), 5, "{tokens}");
    assert!(tokens.contains("rotated") && !tokens.contains(second.trim()), "{tokens}");
    expect_success(&run(&database, &["token", "revoke", "2"], ""));
    // The server is another process with its own clock: it must notice within a second.
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(ask(&second).starts_with("HTTP/1.1 401"));
    let set = ["user", "set-password", "--email", "ada@example.com", "--password-stdin"];
    expect_success(&run(&database, &set, "another wagon full of plums"));
    let reset =
        expect_success(&run(&database, &["user", "reset-second-factor", "--email", "ada@example.com"], ""));
    assert_eq!(reset, "ada@example.com has no second factor.\n");
    expect_success(&run(
        &database,
        &["user", "change", "--email", "bob@example.com", "--role", "member"],
        "",
    ));
    expect_success(&run(
        &database,
        &["user", "change", "--email", "bob@example.com", "--projects", "all"],
        "",
    ));
    let users = expect_success(&run(&database, &["user", "list"], ""));
    assert!(users.contains("bob@example.com") && users.contains("member"), "{users}");
    expect_success(&run(&database, &["signing-key", "rotate"], ""));
    assert!(expect_success(&run(&database, &["brand", "list"], "")).contains("Acme Works"));
    assert_eq!(expect_success(&run(&database, &["migrate"], "")), "The database is up to date.\n");
    let checked = expect_success(&run(&database, &["check"], ""));
    assert!(checked.contains("audit log       good"), "{checked}");
    assert!(expect_success(&run(&database, &["openapi", "v2"], "")).contains("Keepclear V2"));
}

async fn a_script_gets_a_token_for_a_program(engine: Engine) {
    let database = Database::empty(engine);
    expect_success(&run(&database, &["brand", "create", "Acme"], ""));
    let issue = ["token", "issue", "--brand", "Acme", "--kind", "service", "--name", "Dashboard"];
    let with = |more: &[&str]| run(&database, &[&issue[..], more].concat(), "");
    let first = expect_success(&with(&["--role", "member", "--projects", "all"]));
    assert_eq!(first.trim().split('.').count(), 3, "a JWT: {first}");
    let second = with(&["--overlap-hours", "2"]);
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains("token service-1 of Dashboard stops working in 2 hours"), "{said}");
    let second = expect_success(&second);
    for (output, reason) in [
        (with(&["--role", "viewer"]), "There is a service account Dashboard already"),
        (with(&["--overlap-hours", "169"]), "invalid value"),
        (with(&["--expires", "soon"]), "invalid value"),
        (run(&database, &["token", "revoke", "service-9"], ""), "no token 9 of a service account"),
        (run(&database, &["token", "revoke", "service"], ""), "such as 7 or service-7"),
    ] {
        let said = expect_failure(&output);
        assert!(said.contains(reason), "{reason} is not in {said}");
    }
    let too_long = ["--name", "Other", "--expires", "2999-01-01T00:00:00Z"];
    let too_long = [&issue[..6], &too_long[..]].concat();
    assert!(expect_failure(&run(&database, &too_long, "")).contains("two years"));
    let for_device =
        ["token", "issue", "--brand", "Acme", "--kind", "tester", "--name", "Gate", "--role", "admin"];
    assert!(expect_failure(&run(&database, &for_device, "")).contains("--kind service"));

    let server = Process::serve(program(), &database, &[]);
    let ask = |token: &str| {
        let token = token.trim();
        server.send_raw(&format!(
            "GET /api/v2/session HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        ))
    };
    for token in [&first, &second] {
        let answer = ask(token);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"member\""), "{answer}");
    }
    let tokens = expect_success(&run(&database, &["token", "list", "--brand", "Acme"], ""));
    assert_eq!(tokens.lines().count(), 3, "{tokens}");
    assert!(tokens.contains("service-2") && tokens.contains("live until"), "{tokens}");
    assert!(!tokens.contains(second.trim()), "{tokens}");
    expect_success(&run(&database, &["token", "revoke", "service-1"], ""));
    expect_success(&run(&database, &["signing-key", "rotate"], ""));
    // The server is another process with its own clock: it must notice within a second.
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(ask(&first).starts_with("HTTP/1.1 401"));
    assert!(ask(&second).starts_with("HTTP/1.1 200"));
    let rotated = expect_success(&run(&database, &["signing-key", "rotate", "--revoke"], ""));
    assert!(rotated.contains("1 tokens of service accounts have ended"), "{rotated}");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(ask(&second).starts_with("HTTP/1.1 401"));
    let tokens = expect_success(&run(&database, &["token", "list"], ""));
    assert!(!tokens.contains("live"), "{tokens}");
    assert!(expect_success(&run(&database, &["check"], "")).contains("audit log       good"));
}

async fn what_is_wrong_is_said_and_fails(engine: Engine) {
    let database = Database::empty(engine);
    expect_success(&run(&database, &["brand", "create", "Acme"], ""));
    let user = |brand: &str, email: &str, role: &str, password: &str| {
        let arguments =
            ["user", "create", "--brand", brand, "--email", email, "--role", role, "--password-stdin"];
        run(&database, &arguments, password)
    };
    expect_success(&user("Acme", "ada@example.com", "admin", "plum wagon sixty tiles"));
    for (output, reason) in [
        (run(&database, &["brand", "create", " "], ""), "must not be empty"),
        (
            user("Nowhere", "x@example.com", "admin", "plum wagon sixty tiles"),
            "no brand with the name or id Nowhere",
        ),
        (user("Acme", "ADA@example.com", "admin", "plum wagon sixty tiles"), "already belongs to a user"),
        (user("Acme", "nonsense", "admin", "x"), "must be an email address"),
        (user("Acme", "b@example.com", "root", "x"), "admin, member, viewer"),
        (user("Acme", "b@example.com", "viewer", "short"), "at least 12 characters"),
        (user("Acme", "b@example.com", "viewer", "password1234"), "too easy to guess"),
        (
            run(&database, &["token", "issue", "--brand", "Acme", "--kind", "lamp", "--name", "x"], ""),
            "tester, station",
        ),
        (run(&database, &["token", "revoke", "99"], ""), "no token 99"),
        (run(&database, &["user", "set-password", "--email", "b@example.com"], ""), "no user with the email"),
        (
            run(&database, &["user", "reset-second-factor", "--email", "b@example.com"], ""),
            "no user with the email",
        ),
        (run(&database, &["user", "change", "--email", "ada@example.com"], ""), "at least one of --role"),
        (
            run(&database, &["user", "change", "--email", "ada@example.com", "--projects", "1,x"], ""),
            "such as 1,2,3",
        ),
        (
            run(&database, &["user", "change", "--email", "ada@example.com", "--projects", "7"], ""),
            "7 is not a project",
        ),
        (run(&database, &["serve", "--listen", "nowhere"], ""), "invalid value"),
        (run(&database, &["nonsense"], ""), "unrecognized subcommand"),
        (run(&database, &["--config", "/no/such/file", "check"], ""), "/no/such/file"),
    ] {
        let said = expect_failure(&output);
        assert!(said.contains(reason), "{reason} is not in {said}");
    }
    let users = expect_success(&run(&database, &["user", "list"], ""));
    assert_eq!(users.lines().count(), 2, "nothing was made on the way: {users}");
    // Several brands may have the same name; they are then named by id.
    expect_success(&run(&database, &["brand", "create", "ACME"], ""));
    let said = expect_failure(&user("acme", "b@example.com", "viewer", "plum wagon sixty tiles"));
    assert!(said.contains("use the id of one of them: 1, 2"), "{said}");
    expect_success(&user("2", "b@example.com", "viewer", "plum wagon sixty tiles"));
    let users = expect_success(&run(&database, &["user", "list", "--brand", "2"], ""));
    assert!(users.contains("b@example.com") && !users.contains("ada@example.com"), "{users}");
    assert!(users.contains("ACME (2)"), "{users}");
    expect_success(&run(
        &database,
        &["token", "issue", "--brand", "2", "--kind", "tester", "--name", "Gate"],
        "",
    ));
    let tokens = expect_success(&run(&database, &["token", "list"], ""));
    assert!(tokens.contains("ACME (2)"), "{tokens}");
}

async fn the_first_start_says_how_to_go_on(engine: Engine) {
    let database = Database::empty(engine);
    let folder = database.folder().to_str().unwrap().to_owned();
    let mut server = Command::new(program())
        .args(["--data", &folder, "--database", database.url(), "serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map_while(Result::ok);
    let hint = lines.find(|line| line.contains("user set-password"));
    server.kill().unwrap();
    server.wait().unwrap();
    let Some(hint) = hint else { panic!("no hint") };
    assert!(
        hint.contains(&format!("--data {folder} --database ADDRESS user set-password --email")),
        "{hint}"
    );
}

async fn a_deep_check_reads_every_page(engine: Engine) {
    let database = Database::empty(engine);
    expect_success(&run(&database, &["brand", "create", "Acme"], ""));
    for depth in [&["check"][..], &["check", "--deep"]] {
        let said = expect_success(&run(&database, depth, ""));
        let has_checksums = match engine {
            Engine::Sqlite => true,
            Engine::Postgres => {
                testkit::query_raw_sql(&database, "select current_setting('data_checksums')").await == ["on"]
            }
        };
        assert_eq!(said.contains("without data_checksums"), !has_checksums, "{said}");
        assert_eq!(said.contains("no synchronous standby"), engine == Engine::Postgres, "{said}");
        let read = engine == Engine::Sqlite && depth.contains(&"--deep");
        assert_eq!(said.contains("every page and index was read"), read, "{said}");
    }
    if engine == Engine::Postgres {
        return;
    }
    // A table that no other step of the command reads.
    let root = testkit::query_raw_sql(
        &database,
        "select cast(rootpage as text) from sqlite_schema where name = 'gps_chunks'",
    )
    .await;
    // Pages in the write-ahead log would hide the damage.
    testkit::execute_raw_sql(&database, "pragma wal_checkpoint(truncate)").await.unwrap();
    let from = (root[0].parse::<usize>().unwrap() - 1) * 4_096;
    let file = database.folder().join("keepclear.db");
    let whole = std::fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[from..from + 4_096].fill(0x5a);
    std::fs::write(&file, &damaged).unwrap();
    expect_success(&run(&database, &["check"], ""));
    let said = expect_failure(&run(&database, &["check", "--deep"], ""));
    assert!(said.contains("the database file is damaged"), "{said}");
    // A truncated file is noticed immediately.
    std::fs::write(&file, &whole[..whole.len() - 4_096]).unwrap();
    expect_failure(&run(&database, &["check"], ""));
    std::fs::write(&file, &whole).unwrap();
    expect_success(&run(&database, &["check", "--deep"], ""));
}

async fn check_finds_what_is_wrong(engine: Engine) {
    let database = Database::empty(engine);
    if engine == Engine::Sqlite {
        assert!(expect_success(&run(&database, &["check"], "")).contains("none yet"));
    } else {
        assert!(expect_failure(&run(&database, &["check"], "")).contains("lacks 0001_foundation"));
    }
    expect_success(&run(&database, &["migrate"], ""));
    // Before the first start there is no key, and a check does not create one.
    assert!(expect_success(&run(&database, &["check"], "")).contains("key             none yet"));
    assert_eq!(testkit::count_rows(&database).await["key_epochs"], 0);
    expect_success(&run(&database, &["brand", "create", "Acme"], ""));
    expect_success(&run(&database, &["check"], ""));
    // Starting and stopping the server seals the rows of the log.
    let (status, log) = Process::serve(program(), &database, &[]).stop("-TERM");
    assert!(status.success(), "{log}");
    testkit::drop_audit_triggers(&database).await;
    testkit::execute_raw_sql(
        &database,
        "update audit_log set actor_kind = 'user' where action = 'brand.created'",
    )
    .await
    .unwrap();
    assert!(expect_failure(&run(&database, &["check"], "")).contains("was changed after it was sealed"));
    let config = database.folder().join("keepclear.toml");
    for (text, reason) in [
        ("[server]\nlissten = \"x\"", "lissten"),
        ("[server]\nlisten = 7", "server.listen"),
        ("[limits]\nread = -1", "limits.read_per_minute"),
        ("nonsense", "TOML"),
    ] {
        std::fs::write(&config, text).unwrap();
        let said = expect_failure(&run(&database, &["--config", config.to_str().unwrap(), "check"], ""));
        assert!(said.contains(reason) && said.contains("keepclear.toml"), "{reason}: {said}");
    }
}

async fn files_of_the_registry_are_added_whole_or_not_at_all(engine: Engine) {
    let database = Database::migrated(engine).await;
    expect_success(&run(&database, &["brand", "create", "Acme"], ""));
    let file = |name: &str, text: &str| {
        let path = database.folder().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let import = |kind: &str, path: &str, more: &[&str]| {
        let arguments = ["import", "registry", "--brand", "Acme", "--kind", kind, path];
        run(&database, &[&arguments[..], more].concat(), "")
    };
    let people = file("people.csv", "kind,name\nstaff,Ada\nvisitor,Bob\n");
    assert!(expect_success(&import("people", &people, &["--dry-run"])).contains("2 lines are valid"));
    assert_eq!(testkit::count_rows(&database).await["people"], 0);
    assert!(expect_success(&import("people", &people, &[])).contains("Added 2 to Acme"));
    let tags = file("tags.csv", "serial,role\nT-1,\nT-1,operator\n,x\n");
    let said = expect_failure(&import("tags", &tags, &[]));
    assert!(said.contains("line 4, serial") && said.contains("line 4, role"), "{said}");
    let tags = file("tags.csv", "serial\nT-1\nT-1\n");
    let said = expect_failure(&import("tags", &tags, &[]));
    assert!(said.contains("nothing was added") && said.contains("line 3, serial"), "{said}");
    let stations = file("stations.csv", "serial\nS-1\n");
    expect_success(&import("base_stations", &stations, &[]));
    let machines = file("machines.csv", "name,kind\nDigger,excavator\n");
    expect_success(&import("machines", &machines, &[]));
    expect_failure(&import("machines", "nowhere.csv", &[]));
    let counts = testkit::count_rows(&database).await;
    let seen = ["people", "tags", "machines", "base_stations"].map(|table| counts[table]);
    assert_eq!(seen, [2, 0, 1, 1]);
}
