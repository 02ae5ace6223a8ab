//! Computes table checksums from a PostgreSQL dump without a server: `pg_restore` writes it as text, which is hashed as it arrives.

use domain::sorted;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::engine::checksums::TableHasher;
use crate::engine::dialect::pg_tools::{PgTools, collect_stderr, run_blocking};
use crate::engine::dialect::tables::{Column, ColumnType, push_value};
use crate::{Config, Error, TableChecksum};

/// Computes the checksums of all tables in a dump. `on_progress` is called from time to time with the number of rows so far.
pub async fn checksum_dump(
    config: &Config,
    file: &Path,
    on_progress: impl FnMut(u64) + Send + 'static,
) -> Result<BTreeMap<String, TableChecksum>, Error> {
    let tools = PgTools::for_reading(config)?;
    let file = file.to_owned();
    run_blocking(move || checksum_file(&tools, &file, on_progress)).await
}

fn checksum_file(
    tools: &PgTools,
    file: &Path,
    on_progress: impl FnMut(u64),
) -> Result<BTreeMap<String, TableChecksum>, Error> {
    let mut child = tools.spawn_text_dump(file)?;
    let stderr = child.stderr.take().map(collect_stderr);
    let text = child.stdout.take().ok_or_else(|| Error::Unusable("pg_restore has no stdout".to_owned()))?;
    let sums = checksum_text(BufReader::with_capacity(1 << 16, text), on_progress);
    // If parsing stopped early, the pipe is closed by now, so the program ends.
    let status = child.wait().map_err(|error| Error::Unusable(format!("pg_restore: {error}")))?;
    let stderr = stderr.and_then(|stderr| stderr.join().ok()).unwrap_or_default();
    if !status.success() {
        return Err(Error::Unusable(format!("{} cannot be read: {stderr}", file.display())));
    }
    sums.map_err(|error| Error::Unusable(format!("{} cannot be read: {error}", file.display())))
}

enum ParserState {
    BetweenTables,
    /// In the column list of this table.
    Columns(String),
    /// In the rows of a table. `order` lists the indexes of its columns by name.
    Rows {
        table: String,
        columns: Vec<Column>,
        order: Vec<usize>,
        sum: TableHasher,
    },
}

fn checksum_text(
    mut text: impl BufRead,
    mut on_progress: impl FnMut(u64),
) -> Result<BTreeMap<String, TableChecksum>, std::io::Error> {
    let mut column_types: HashMap<(String, String), ColumnType> = HashMap::new();
    let mut sums = BTreeMap::new();
    let mut state = ParserState::BetweenTables;
    let (mut line, mut rows, mut row) = (Vec::new(), 0_u64, RowLine::default());
    loop {
        line.clear();
        if text.read_until(b'\n', &mut line)? == 0 {
            return Ok(sums);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        state = match state {
            ParserState::BetweenTables => begin(&line, &column_types),
            ParserState::Columns(_) if line.starts_with(b")") => ParserState::BetweenTables,
            ParserState::Columns(table) => {
                if let Some(column) = column(&line) {
                    column_types.insert((table.clone(), column.name), column.column_type);
                }
                ParserState::Columns(table)
            }
            ParserState::Rows { table, columns, order, sum } if line == b"\\." => {
                let names = order.iter().map(|&index| columns[index].name.as_str());
                sums.insert(table, sum.finish(names));
                ParserState::BetweenTables
            }
            ParserState::Rows { table, columns, order, mut sum } => {
                sum.add(row.write(&line, &columns, &order));
                rows += 1;
                if rows.is_multiple_of(4_096) {
                    on_progress(rows);
                }
                ParserState::Rows { table, columns, order, sum }
            }
        };
    }
}

/// Returns the state after a line outside of tables.
fn begin(line: &[u8], column_types: &HashMap<(String, String), ColumnType>) -> ParserState {
    let Ok(line) = std::str::from_utf8(line) else { return ParserState::BetweenTables };
    if let Some(table) = line.strip_prefix("CREATE TABLE ").and_then(|rest| rest.strip_suffix(" (")) {
        return ParserState::Columns(unqualified(table));
    }
    let copied = line.strip_prefix("COPY ").and_then(|rest| rest.strip_suffix(") FROM stdin;"));
    let Some((table, names)) = copied.and_then(|rest| rest.split_once(" (")) else {
        return ParserState::BetweenTables;
    };
    let table = unqualified(table);
    let columns: Vec<Column> = names
        .split(", ")
        .map(|name| {
            let name = unquoted(name);
            let kind = column_types.get(&(table.clone(), name.clone())).copied().unwrap_or(ColumnType::Text);
            Column { name, column_type: kind }
        })
        .collect();
    let mut order: Vec<usize> = (0..columns.len()).collect();
    sorted::sort_by(&mut order, |&a, &b| columns[a].name.cmp(&columns[b].name));
    ParserState::Rows { table, columns, order, sum: TableHasher::default() }
}

/// Parses a column of `create table`; a constraint gives none.
fn column(line: &[u8]) -> Option<Column> {
    let line = std::str::from_utf8(line).ok()?.trim_start();
    let (name, rest) = line.split_once(' ')?;
    let kind = rest.split([' ', ',']).next()?;
    (name != "CONSTRAINT").then(|| Column { name: unquoted(name), column_type: ColumnType::parse(kind) })
}

/// Returns a table's name without its schema.
fn unqualified(table: &str) -> String {
    unquoted(table.rsplit('.').next().unwrap_or(table))
}

fn unquoted(name: &str) -> String {
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => name.to_owned(),
    }
}

/// Buffers for converting a row of a dump to the line that is hashed.
#[derive(Default)]
struct RowLine {
    line: Vec<u8>,
    values: Vec<u8>,
    ends: Vec<Option<(usize, usize)>>,
}

impl RowLine {
    fn write(&mut self, text: &[u8], columns: &[Column], order: &[usize]) -> &[u8] {
        self.line.clear();
        self.values.clear();
        self.ends.clear();
        for field in text.split(|&byte| byte == b'\t') {
            if field == b"\\N" {
                self.ends.push(None);
                continue;
            }
            let start = self.values.len();
            unescape(field, &mut self.values);
            self.ends.push(Some((start, self.values.len())));
        }
        for (place, &index) in order.iter().enumerate() {
            if place > 0 {
                self.line.push(b',');
            }
            let range = self.ends.get(index).copied().flatten();
            let value = range.map(|(start, end)| &self.values[start..end]);
            push_value(&mut self.line, columns[index].column_type, value);
        }
        &self.line
    }
}

/// Reverses the escaping of `copy`.
fn unescape(field: &[u8], to: &mut Vec<u8>) {
    let mut bytes = field.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            to.push(byte);
            continue;
        }
        to.extend(bytes.next().map(|escaped| match escaped {
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0B,
            other => other,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "SET x = 1;

CREATE TABLE public.odd (
    id bigint NOT NULL,
    \"position\" text COLLATE pg_catalog.\"C\" DEFAULT 'x'::text,
    bytes bytea NOT NULL,
    is_good boolean,
    CONSTRAINT odd_check CHECK ((id > 0))
);

COPY public.odd (id, \"position\", bytes, is_good) FROM stdin;
2\ta\\tb\\nc\\\\d\t\\\\x00ff\tt
1\t\\N\t\\\\x\t\\N
\\.

COPY public.empty (id) FROM stdin;
\\.

ALTER TABLE x;
";

    #[test]
    fn rows_are_read_as_the_engines_would_write_them() {
        let sums = checksum_text(DUMP.as_bytes(), |_| ()).unwrap();
        let mut sum = TableHasher::default();
        // In order of their names: bytes, id, is_good, position.
        sum.add(b"b,i1,n,n");
        sum.add(b"b00ff,i2,i1,t7:a\tb\nc\\d");
        assert_eq!(sums["odd"], sum.finish(["bytes", "id", "is_good", "position"].into_iter()));
        assert_eq!(sums["empty"].rows, 0);
        assert_eq!(sums.len(), 2);
    }

    #[test]
    fn rows_that_are_cut_short_are_another_sum_and_no_panic() {
        let whole = checksum_text(DUMP.as_bytes(), |_| ()).unwrap();
        let short = checksum_text(DUMP.replace("\\tt\n", "\n").replace("\tt\n", "\n").as_bytes(), |_| ());
        assert_ne!(whole["odd"], short.unwrap()["odd"]);
        for end in 0..DUMP.len() {
            let _ = checksum_text(&DUMP.as_bytes()[..end], |_| ()).unwrap();
        }
    }
}
