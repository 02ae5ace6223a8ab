//! Raw SQL that bypasses the store, as someone with a shell on the database could run it.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};

use crate::database::Database;

pub async fn execute_raw_sql(database: &Database, statements: &str) -> Result<(), String> {
    let sql = sqlx::raw_sql(AssertSqlSafe(statements.to_owned()));
    let outcome = if database.url().starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(database.url()).await.expect("a connection");
        connection.execute(sql).await.map(drop)
    } else {
        let mut connection = PgConnection::connect(database.url()).await.expect("a connection");
        connection.execute(sql).await.map(drop)
    };
    outcome.map_err(|error| error.to_string())
}

/// Drops the triggers that protect the audit log, as only the owner of the database can.
pub async fn drop_audit_triggers(database: &Database) {
    let statements = if database.url().starts_with("sqlite:") {
        "drop trigger audit_log_is_never_changed; drop trigger audit_log_is_never_deleted"
    } else {
        "drop trigger audit_log_is_never_changed on audit_log"
    };
    execute_raw_sql(database, statements).await.expect("the guards can be taken away");
}

/// Makes every statement that finds rows of this table take about a second and hold its connection meanwhile. The table can no longer
/// be written to.
pub async fn slow_down_reads(database: &Database, table: &str) {
    let slow = if database.url().starts_with("sqlite:") {
        "with recursive c (n) as (select 1 union all select n + 1 from c where n < 2000000) select count(*) as n from c"
    } else {
        "select pg_sleep(1) as n"
    };
    let statements = format!(
        "alter table {table} rename to {table}_kept;
         create view {table} as with slow as materialized ({slow}) select kept.* from slow cross join {table}_kept kept"
    );
    execute_raw_sql(database, &statements).await.expect("a view in place of the table");
}

/// A lock on a table, released when dropped.
pub struct TableLock {
    // Dropping the connection ends its transaction, which releases the lock.
    _lock: Option<PgConnection>,
}

/// Blocks every statement that reads this table: on PostgreSQL until the returned lock is dropped. SQLite has no such lock, so there
/// each statement takes about a second, see [`slow_down_reads`].
pub async fn block_reads(database: &Database, table: &str) -> TableLock {
    if database.url().starts_with("sqlite:") {
        slow_down_reads(database, table).await;
        return TableLock { _lock: None };
    }
    lock_table(database, table, "access exclusive").await
}

/// Blocks every statement that writes to this table until the returned lock is dropped. Has no effect on SQLite.
pub async fn block_writes(database: &Database, table: &str) -> TableLock {
    if database.url().starts_with("sqlite:") {
        return TableLock { _lock: None };
    }
    lock_table(database, table, "share").await
}

async fn lock_table(database: &Database, table: &str, mode: &str) -> TableLock {
    let mut connection = PgConnection::connect(database.url()).await.expect("a connection");
    let lock = format!("begin; lock table {table} in {mode} mode");
    connection.execute(sqlx::raw_sql(AssertSqlSafe(lock))).await.expect("a lock");
    TableLock { _lock: Some(connection) }
}

/// Tables into which the service writes on its own, at a time of its own, without any request.
const WRITTEN_IN_BACKGROUND: [&str; 2] = ["saved_columns", "warehouse_copies"];

/// Counts the rows of every table that changes only by what a test asks for.
pub async fn count_rows(database: &Database) -> BTreeMap<String, i64> {
    let counts = |mut tables: Vec<String>| {
        tables.retain(|table| !WRITTEN_IN_BACKGROUND.contains(&table.as_str()));
        let counts = tables.iter().map(|table| format!("select '{table}', count(*) from {table}"));
        AssertSqlSafe(counts.collect::<Vec<_>>().join(" union all "))
    };
    let rows: Vec<(String, i64)> = if database.url().starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(database.url()).await.expect("a connection");
        let names = "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'";
        let tables = sqlx::query_scalar(names).fetch_all(&mut connection).await.expect("tables");
        sqlx::query_as(counts(tables)).fetch_all(&mut connection).await.expect("counts")
    } else {
        let mut connection = connect_through_balancer(database.url()).await;
        let names = "select tablename::text from pg_tables where schemaname = current_schema()";
        let tables = sqlx::query_scalar(names).fetch_all(&mut connection).await.expect("tables");
        sqlx::query_as(counts(tables)).fetch_all(&mut connection).await.expect("counts")
    };
    rows.into_iter().collect()
}

/// Returns the first column of each row of a query as text.
pub async fn query_raw_sql(database: &Database, query: &str) -> Vec<String> {
    let query = AssertSqlSafe(query.to_owned());
    let rows = if database.url().starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(database.url()).await.expect("a connection");
        sqlx::query_scalar(query).fetch_all(&mut connection).await
    } else {
        let mut connection = connect_through_balancer(database.url()).await;
        sqlx::query_scalar(query).fetch_all(&mut connection).await
    };
    rows.expect("rows")
}

/// Connects to PostgreSQL, again and again for a while: a balancer that is asked while it checks which machine is the primary may lead to
/// none.
async fn connect_through_balancer(url: &str) -> PgConnection {
    for _ in 0..60 {
        if let Ok(connection) = PgConnection::connect(url).await {
            return connection;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    PgConnection::connect(url).await.expect("a connection")
}

/// Returns the tables (on SQLite, table and column) that contain a text anywhere, regardless of case.
pub async fn find_tables_with_text(database: &Database, text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('\'', "''");
    let search = |places: Vec<(String, String)>| {
        let search = places.into_iter().map(|(table, column)| {
            let name = column.replace('\'', "''");
            format!("select '{table} {name}' from {table} x where {column} like '%{text}%'")
        });
        AssertSqlSafe(search.collect::<Vec<_>>().join(" union "))
    };
    if database.url().starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(database.url()).await.expect("a connection");
        let columns = "select m.name, 'lower(cast(x.\"' || c.name || '\" as text))' from sqlite_schema m,
            pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%'";
        let places: Vec<(String, String)> =
            sqlx::query_as(columns).fetch_all(&mut connection).await.expect("columns");
        let mut found = Vec::new();
        // SQLite limits a compound select to a few hundred terms.
        for some in places.chunks(100) {
            let search = sqlx::query_scalar(search(some.to_vec()));
            found.extend(search.fetch_all(&mut connection).await.expect("a search"));
        }
        found
    } else {
        let mut connection = PgConnection::connect(database.url()).await.expect("a connection");
        let tables = "select tablename::text, 'lower(x::text)' from pg_tables
            where schemaname = current_schema()";
        let places = sqlx::query_as(tables).fetch_all(&mut connection).await.expect("tables");
        sqlx::query_scalar(search(places)).fetch_all(&mut connection).await.expect("a search")
    }
}

/// Returns bytes as an SQL literal of the engine.
pub fn bytes_literal(database: &Database, bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if database.url().starts_with("sqlite:") {
        format!("x'{digits}'")
    } else {
        format!("'\\x{digits}'::bytea")
    }
}

/// Returns every value of every column of every table as bytes, as a thief would find them in a dump.
pub async fn read_all_values(database: &Database) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    if database.url().starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(database.url()).await.expect("a connection");
        let columns = "select m.name, c.name from sqlite_schema m, pragma_table_info(m.name) c
            where m.type = 'table' and m.name not like 'sqlite_%'";
        let places: Vec<(String, String)> =
            sqlx::query_as(columns).fetch_all(&mut connection).await.expect("columns");
        for (table, column) in places {
            let query =
                format!("select cast(\"{column}\" as blob) from {table} where \"{column}\" is not null");
            let values = sqlx::query_scalar(AssertSqlSafe(query)).fetch_all(&mut connection).await;
            found.extend(values.expect("values"));
        }
    } else {
        let mut connection = PgConnection::connect(database.url()).await.expect("a connection");
        let columns = "select table_name::text, column_name::text, data_type::text
            from information_schema.columns where table_schema = current_schema()";
        let places: Vec<(String, String, String)> =
            sqlx::query_as(columns).fetch_all(&mut connection).await.expect("columns");
        for (table, column, kind) in places {
            let value = match kind.as_str() {
                "bytea" => format!("\"{column}\""),
                _ => format!("convert_to(\"{column}\"::text, 'UTF8')"),
            };
            let query = format!("select {value} from {table} where \"{column}\" is not null");
            let values = sqlx::query_scalar(AssertSqlSafe(query)).fetch_all(&mut connection).await;
            found.extend(values.expect("values"));
        }
    }
    found
}

/// Returns the rows of each table that match a condition on `t`, in order, each as one text of all its columns.
pub async fn read_rows_as_text(database: &Database, tables: &[(&str, &str)]) -> Vec<Vec<String>> {
    let mut all = Vec::with_capacity(tables.len());
    if database.url().starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(database.url()).await.expect("a connection");
        for (table, condition) in tables {
            let columns = format!(
                "select group_concat('quote(t.\"' || name || '\")', ' || '','' || ') from pragma_table_info('{table}')"
            );
            let columns = sqlx::query_scalar::<_, String>(AssertSqlSafe(columns));
            let line = columns.fetch_one(&mut connection).await.expect("columns");
            let query = AssertSqlSafe(format!("select {line} from {table} t where {condition} order by 1"));
            all.push(sqlx::query_scalar(query).fetch_all(&mut connection).await.expect("rows"));
        }
    } else {
        let mut connection = PgConnection::connect(database.url()).await.expect("a connection");
        for (table, condition) in tables {
            let query = AssertSqlSafe(format!("select t::text from {table} t where {condition} order by 1"));
            all.push(sqlx::query_scalar(query).fetch_all(&mut connection).await.expect("rows"));
        }
    }
    all
}
