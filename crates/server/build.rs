//! Packs the committed OpenAPI documents, which the program serves.

use std::env::var_os;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzEncoder;

#[expect(clippy::disallowed_methods, reason = "cargo says in the environment where to write")]
fn main() -> io::Result<()> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is missing"))?);
    for name in ["v1", "v2", "ingest"] {
        let document = own.join(format!("../../openapi/{name}.json"));
        println!("cargo::rerun-if-changed={}", document.display());
        let text = fs::read(&document)?;
        let mut packed = Vec::new();
        GzEncoder::new(text.as_slice(), Compression::best()).read_to_end(&mut packed)?;
        fs::write(out.join(format!("{name}.json.gz")), packed)?;
    }
    Ok(())
}
