//! Reads messages with the parser of Python, which is not ours.

use std::io::Write;
use std::process::Command;

use serde_json::Value;

/// Prints a message as a tree of parts: the type, the headers in lower case, and the text or the bytes in hexadecimal.
const PARSER: &str = r#"
import email, email.policy, json, sys

def tree(part):
    headers = {name.lower(): str(value) for name, value in part.items()}
    shown = {"type": part.get_content_type(), "headers": headers, "defects": [str(one) for one in part.defects]}
    if part.is_multipart():
        shown["parts"] = [tree(one) for one in part.iter_parts()]
    elif part.get_content_maintype() == "text":
        shown["text"] = part.get_content()
    else:
        shown["bytes"] = part.get_payload(decode=True).hex()
    return shown

with open(sys.argv[1], "rb") as file:
    print(json.dumps(tree(email.message_from_binary_file(file, policy=email.policy.default))))
"#;

/// Reads a message with the parser of Python.
pub fn parse(message: &str) -> Value {
    testbed::needs_fetched("python3");
    let folder = testkit::temporary_folder();
    let mut file = tempfile::NamedTempFile::new_in(folder.path()).unwrap();
    file.write_all(message.as_bytes()).unwrap();
    let output = Command::new("python3").arg("-c").arg(PARSER).arg(file.path()).output();
    let output =
        output.unwrap_or_else(|error| panic!("python3 cannot be run ({error}); see CONTRIBUTING.md"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
