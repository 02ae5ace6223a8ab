//! The baseline for durable ingest: a bare loop through SQLite's C interface, in the same build of SQLite, that inserts the rows
//! of one database into the same table and indexes of another, with a fixed number of rows per commit.
//!
//! `bare_insert SOURCE TARGET ROWS_PER_COMMIT` prints rows per second. `bench/ingest.py` runs it.

#![expect(unsafe_code, reason = "it measures the C interface without a wrapper")]
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a benchmark program"
)]

use std::ffi::{CStr, CString, c_int};
use std::ptr;
use std::time::Instant;

use libsqlite3_sys as ffi;

enum Value {
    Null,
    Int(i64),
    Text(Vec<u8>),
}

struct Database(*mut ffi::sqlite3);

impl Database {
    fn open(path: &str) -> Self {
        let path = CString::new(path).expect("a path");
        let mut database = ptr::null_mut();
        let flags = ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_NOMUTEX;
        // SAFETY: the path ends in a NUL, and `database` receives the handle.
        let code = unsafe { ffi::sqlite3_open_v2(path.as_ptr(), &raw mut database, flags, ptr::null()) };
        assert_eq!(code, ffi::SQLITE_OK, "it opens");
        Self(database)
    }

    fn run(&self, sql: &CStr) {
        // SAFETY: the handle is open and the text ends in a NUL; no callback is given.
        let code = unsafe { ffi::sqlite3_exec(self.0, sql.as_ptr(), None, ptr::null_mut(), ptr::null_mut()) };
        assert_eq!(code, ffi::SQLITE_OK, "{sql:?}");
    }

    fn prepare(&self, sql: &CStr) -> *mut ffi::sqlite3_stmt {
        let mut statement = ptr::null_mut();
        // SAFETY: the handle is open, the text ends in a NUL, and `statement` receives the statement.
        let code =
            unsafe { ffi::sqlite3_prepare_v2(self.0, sql.as_ptr(), -1, &raw mut statement, ptr::null_mut()) };
        assert_eq!(code, ffi::SQLITE_OK, "{sql:?}");
        statement
    }

    fn rows(&self) -> Vec<Vec<Value>> {
        let statement = self.prepare(c"select * from incursions order by id");
        let mut rows = Vec::new();
        // SAFETY: the statement is live; columns are read after a step that returned a row, and text is copied before the next step.
        unsafe {
            let width = ffi::sqlite3_column_count(statement);
            while ffi::sqlite3_step(statement) == ffi::SQLITE_ROW {
                let value = |column: c_int| match ffi::sqlite3_column_type(statement, column) {
                    ffi::SQLITE_INTEGER => Value::Int(ffi::sqlite3_column_int64(statement, column)),
                    ffi::SQLITE_TEXT => {
                        let length = ffi::sqlite3_column_bytes(statement, column) as usize;
                        let text = ffi::sqlite3_column_text(statement, column);
                        Value::Text(std::slice::from_raw_parts(text, length).to_vec())
                    }
                    _ => Value::Null,
                };
                rows.push((0..width).map(value).collect());
            }
            ffi::sqlite3_finalize(statement);
        }
        rows
    }

    fn insert(&self, statement: *mut ffi::sqlite3_stmt, row: &[Value]) {
        // SAFETY: the statement is live and has as many placeholders as the row has values; texts outlive the step.
        unsafe {
            for (index, value) in (1..).zip(row) {
                match value {
                    Value::Null => ffi::sqlite3_bind_null(statement, index),
                    Value::Int(number) => ffi::sqlite3_bind_int64(statement, index, *number),
                    Value::Text(text) => ffi::sqlite3_bind_text(
                        statement,
                        index,
                        text.as_ptr().cast(),
                        text.len() as c_int,
                        ffi::SQLITE_STATIC(),
                    ),
                };
            }
            assert_eq!(ffi::sqlite3_step(statement), ffi::SQLITE_DONE, "a row goes in");
            ffi::sqlite3_reset(statement);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, source, target, per_commit] = arguments.as_slice() else {
        panic!("usage: bare_insert SOURCE TARGET ROWS_PER_COMMIT")
    };
    let per_commit: usize = per_commit.parse().expect("a number");
    let rows = Database::open(source).rows();
    let target = Database::open(target);
    target.run(c"pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
    let width = rows.first().map_or(0, Vec::len);
    let text = format!("insert into incursions values ({})", vec!["?"; width].join(","));
    let statement = target.prepare(&CString::new(text).expect("no NUL"));
    let began = Instant::now();
    for commit in rows.chunks(per_commit) {
        target.run(c"begin immediate");
        for row in commit {
            target.insert(statement, row);
        }
        target.run(c"commit");
    }
    println!("{:.0}", rows.len() as f64 / began.elapsed().as_secs_f64());
}
