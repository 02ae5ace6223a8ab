//! Reads the rows of a statement from `JSONCompact`, which ends with their number.

use serde::Deserialize;

/// The numbers of a row.
pub(crate) type ResultRow = Vec<Option<i64>>;

#[derive(Deserialize)]
struct Body<T> {
    data: Vec<T>,
    /// Comes after the rows, so that an answer that breaks off has none.
    rows: Option<u64>,
}

/// Reads rows, and refuses an answer without the number of them.
pub(crate) fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<Vec<T>, String> {
    let read: Body<T> =
        serde_json::from_slice(body).map_err(|error| format!("the answer cannot be read: {error}"))?;
    let Some(rows) = read.rows else { return Err("the answer lacks its closing count".to_owned()) };
    if rows != read.data.len() as u64 {
        return Err(format!("the answer has {} rows, and closes with {rows}", read.data.len()));
    }
    Ok(read.data)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"meta": [{"name": "s", "type": "UInt64"}], "data": [[0, null, -7], [1, 2, 3]], "rows": 2,
        "rows_before_limit_at_least": 9, "statistics": {"elapsed": 0.1}}"#;

    fn rows(text: &str) -> Result<Vec<ResultRow>, String> {
        read(text.as_bytes())
    }

    #[test]
    fn rows_are_numbers_or_nothing() {
        assert_eq!(rows(WHOLE), Ok(vec![vec![Some(0), None, Some(-7)], vec![Some(1), Some(2), Some(3)]]));
    }

    #[test]
    fn an_answer_without_its_closing_count_is_refused() {
        for end in 1..WHOLE.len() {
            assert!(rows(&WHOLE[..end]).is_err(), "{end}");
        }
        assert!(rows(r#"{"data": [[1]]}"#).is_err());
        assert!(rows(r#"{"data": [[1]], "rows": 2}"#).is_err());
        assert!(rows(r#"{"data": [["text"]], "rows": 1}"#).is_err());
        assert!(rows("Code: 241. DB::Exception").is_err());
    }
}
