//! Third-party clients against the real program: kitsu, devour and spraypaint from npm, jsonapi-client and jsonapi-requests from PyPI.

use std::path::Path;
use std::process::Command;

use testkit::{Database, Engine, PASSWORD, Process};

use crate::program;

const EMAIL: &str = "ada@example.com";

#[test]
fn clients_that_others_wrote_get_along_on_sqlite() {
    run_clients(Engine::Sqlite);
}

#[test]
fn clients_that_others_wrote_get_along_on_postgres() {
    run_clients(Engine::Postgres);
}

fn run_clients(engine: Engine) {
    testbed::needs_fetched("ensure-json-api-clients");
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
    let folder = run(&mut Command::new(tools.join("ensure-json-api-clients")));
    let database = Database::empty(engine);
    for (arguments, input) in [
        (&["brand", "create", "Acme"][..], ""),
        (
            &["user", "create", "--brand", "Acme", "--email", EMAIL, "--role", "admin", "--password-stdin"],
            PASSWORD,
        ),
    ] {
        let output = Process::run(program(), &database, arguments, input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let server = Process::serve(program(), &database, &[]);
    let body = format!("{{\"email\": \"{EMAIL}\", \"password\": \"{PASSWORD}\"}}");
    let login = server.send_raw(&format!(
        "POST /api/v2/login HTTP/1.1\r\nHost: keepclear\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    ));
    let token = login.lines().find_map(|line| line.strip_prefix("accesstoken: ")).unwrap();
    let address = format!("http://{}/api/v2", server.address);
    let clients = tools.join("json-api-clients");
    let mut outputs = Vec::new();
    for script in ["with-kitsu.mjs", "with-devour.mjs", "with-spraypaint.mjs"] {
        let node = Command::new("node")
            .arg(clients.join(script))
            .args([&folder, &address, token])
            .env_remove("HTTP_PROXY")
            .env_remove("http_proxy")
            .output();
        outputs.push((script, node.unwrap()));
    }
    for script in ["with_jsonapi_client.py", "with_jsonapi_requests.py"] {
        let python = Command::new(format!("{folder}/python/bin/python"))
            .arg(clients.join(script))
            .args([&address, token])
            .env("NO_PROXY", "127.0.0.1")
            .output();
        outputs.push((script, python.unwrap()));
    }
    for (name, output) in outputs {
        let said = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.0.trim() == "done", "{name}: {said:?}");
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
