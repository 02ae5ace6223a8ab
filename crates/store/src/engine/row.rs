//! Reads values from a row of either engine, for the records that `domain` and this crate declare.

use domain::row::{ReadColumn, ReadColumns};
use domain::{
    AccountLinkId, AlertDeliveryId, AlertFiringId, AlertLevel, AlertMessageId, AlertRecipientId, AlertRuleId,
    AuditId, BaseStationId, BrandId, ClipId, Coordinates, DeviceEventId, DeviceId, ExportId, IncursionId,
    InstallationId, JobId, MachineAssignmentId, MachineId, MessageId, NoteId, PersonId, ProjectId, ReportId,
    ReportRecipientId, ReportScheduleId, Review, RuntimePieceId, SavedViewId, ServiceTokenId, SessionId,
    SiteReportId, Span, TagAssignmentId, TagId, TagTestId, Timestamp, TokenId, UserId, VisitId, WebhookId,
    WorksiteId, Zone, ZoneRadius,
};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};

use crate::Error;
use crate::engine::dialect::{ColumnNames, FromPacked, PackedRow};

/// A row of one of the engines.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
    /// A row of SQLite that came as one value.
    Packed(PackedRow),
}

impl Row {
    /// Splits the row into its columns, if it came as one value. These are their names.
    pub fn unpack(self, names: Option<&ColumnNames>) -> Result<Self, Error> {
        match (self, names) {
            (Self::Sqlite(row), Some(names)) => {
                PackedRow::new(row.try_get_unchecked(0)?, names.clone()).map(Self::Packed)
            }
            (row, _) => Ok(row),
        }
    }

    /// Returns the value of the column of that name.
    pub fn get<T: FromColumn>(&self, column: &'static str) -> Result<T, Error> {
        T::from_column(self, column)
    }

    /// Returns the integer in the column at that index, counted from 0, or none if it is null. For rows that come by the million:
    /// finding a column by its name and checking its type costs as much as reading it.
    pub fn int(&self, index: usize) -> Result<Option<i64>, Error> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get_unchecked(index)?,
            Self::Postgres(row) => row.try_get_unchecked(index)?,
            Self::Packed(row) => row.at(index)?,
        })
    }

    /// The same for a column that is never null.
    pub fn required_int(&self, index: usize) -> Result<i64, Error> {
        self.int(index)?.ok_or_else(|| Error::Unusable(format!("column {index} of a row is null")))
    }

    /// Returns all columns of a row of integers.
    pub fn ints(&self) -> Result<Vec<Option<i64>>, Error> {
        let columns = match self {
            Self::Sqlite(row) => row.len(),
            Self::Postgres(row) => row.len(),
            Self::Packed(row) => row.len(),
        };
        (0..columns).map(|place| self.int(place)).collect()
    }

    fn decode<T>(&self, column: &'static str) -> Result<T, Error>
    where
        T: for<'r> Decode<'r, Sqlite>
            + Type<Sqlite>
            + for<'r> Decode<'r, Postgres>
            + Type<Postgres>
            + FromPacked,
    {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
            Self::Packed(row) => row.get(column)?,
        })
    }

    /// Returns the value that is stored in the columns of those names.
    pub fn get_columns<T: FromColumns<N>, const N: usize>(
        &self,
        columns: [&'static str; N],
    ) -> Result<T, Error> {
        T::from_columns(self, columns)
    }

    /// Returns the value that the column stores as a word, by that parser; `get` uses the one of the type. The schema constrains the
    /// words as well.
    pub fn parse<T, E>(
        &self,
        column: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, Error> {
        let word: String = self.get(column)?;
        parse(&word).map_err(|_| <Self as domain::row::Row>::unknown_word(column, &word))
    }
}

impl domain::row::Row for Row {
    type Error = Error;

    fn unknown_word(column: &'static str, word: &str) -> Error {
        Error::Unusable(format!("column {column} has the unknown word {word:?}"))
    }
}

impl<T: FromColumn> ReadColumn<T> for Row {
    fn column(&self, name: &'static str) -> Result<T, Error> {
        T::from_column(self, name)
    }
}

impl<T: FromColumns<N>, const N: usize> ReadColumns<T, N> for Row {
    fn columns(&self, names: [&'static str; N]) -> Result<T, Error> {
        T::from_columns(self, names)
    }
}

/// A type that a column can be read as.
pub(crate) trait FromColumn: Sized {
    fn from_column(row: &Row, column: &'static str) -> Result<Self, Error>;
}

macro_rules! impl_from_column {
    ($($type:ty as $plain:ty, $convert:expr;)*) => {$(
        impl FromColumn for $type {
            fn from_column(row: &Row, column: &'static str) -> Result<Self, Error> {
                row.decode::<$plain>(column).map($convert)
            }
        }
        impl FromColumn for Option<$type> {
            fn from_column(row: &Row, column: &'static str) -> Result<Self, Error> {
                Ok(row.decode::<Option<$plain>>(column)?.map($convert))
            }
        }
    )*};
}

impl_from_column! {
    i64 as i64, |value| value;
    bool as bool, |value| value;
    String as String, |value| value;
    Vec<u8> as Vec<u8>, |value| value;
    Timestamp as i64, Timestamp::from_micros;
    Span as i64, Span::from_micros;
    ZoneRadius as i64, ZoneRadius::from_centimetres;
    AlertLevel as i64, AlertLevel::from_millionths;
    BrandId as i64, BrandId;
    UserId as i64, UserId;
    ProjectId as i64, ProjectId;
    SessionId as i64, SessionId;
    TokenId as i64, TokenId;
    ServiceTokenId as i64, ServiceTokenId;
    DeviceId as i64, DeviceId;
    PersonId as i64, PersonId;
    AuditId as i64, AuditId;
    TagId as i64, TagId;
    TagAssignmentId as i64, TagAssignmentId;
    TagTestId as i64, TagTestId;
    VisitId as i64, VisitId;
    WorksiteId as i64, WorksiteId;
    MachineId as i64, MachineId;
    MachineAssignmentId as i64, MachineAssignmentId;
    BaseStationId as i64, BaseStationId;
    InstallationId as i64, InstallationId;
    NoteId as i64, NoteId;
    AccountLinkId as i64, AccountLinkId;
    JobId as i64, JobId;
    IncursionId as i64, IncursionId;
    RuntimePieceId as i64, RuntimePieceId;
    DeviceEventId as i64, DeviceEventId;
    MessageId as i64, MessageId;
    ClipId as i64, ClipId;
    ExportId as i64, ExportId;
    SavedViewId as i64, SavedViewId;
    ReportId as i64, ReportId;
    ReportScheduleId as i64, ReportScheduleId;
    ReportRecipientId as i64, ReportRecipientId;
    SiteReportId as i64, SiteReportId;
    AlertRuleId as i64, AlertRuleId;
    AlertRecipientId as i64, AlertRecipientId;
    AlertFiringId as i64, AlertFiringId;
    AlertMessageId as i64, AlertMessageId;
    AlertDeliveryId as i64, AlertDeliveryId;
    WebhookId as i64, WebhookId;
}

/// Types that a column stores as a word.
macro_rules! impl_from_word {
    ($($type:ty, $parse:expr;)*) => {$(
        impl $crate::engine::row::FromColumn for $type {
            fn from_column(row: &$crate::engine::row::Row, column: &'static str) -> Result<Self, $crate::Error> {
                row.parse(column, $parse)
            }
        }
        impl $crate::engine::row::FromColumn for Option<$type> {
            fn from_column(row: &$crate::engine::row::Row, column: &'static str) -> Result<Self, $crate::Error> {
                match row.get::<Option<String>>(column)? {
                    Some(_) => row.parse(column, $parse).map(Some),
                    None => Ok(None),
                }
            }
        }
    )*};
}

pub(crate) use impl_from_word;

/// Types that a column stores as a number.
macro_rules! impl_from_code {
    ($($type:ty, $from_code:expr;)*) => {$(
        impl FromColumn for $type {
            fn from_column(row: &Row, column: &'static str) -> Result<Self, Error> {
                let code: i64 = row.get(column)?;
                $from_code(code).ok_or_else(|| {
                    Error::Unusable(format!("column {column} has the unknown code {code}"))
                })
            }
        }
    )*};
}

impl_from_code! {
    Review, Review::from_code;
    Zone, Zone::from_code;
}

impl FromColumn for serde_json::Value {
    fn from_column(row: &Row, column: &'static str) -> Result<Self, Error> {
        let text: String = row.get(column)?;
        serde_json::from_str(&text).map_err(|_| Error::Unusable(format!("column {column} is not valid JSON")))
    }
}

/// A type that several columns together can be read as.
pub(crate) trait FromColumns<const N: usize>: Sized {
    fn from_columns(row: &Row, columns: [&'static str; N]) -> Result<Self, Error>;
}

impl<A: FromColumn, B: FromColumn> FromColumns<2> for (A, B) {
    fn from_columns(row: &Row, [a, b]: [&'static str; 2]) -> Result<Self, Error> {
        Ok((row.get(a)?, row.get(b)?))
    }
}

/// None if one of the columns is null.
impl<A, B> FromColumns<2> for Option<(A, B)>
where
    Option<A>: FromColumn,
    Option<B>: FromColumn,
{
    fn from_columns(row: &Row, [a, b]: [&'static str; 2]) -> Result<Self, Error> {
        Ok(row.get::<Option<A>>(a)?.zip(row.get(b)?))
    }
}

/// None if one of the columns is null.
impl<A, B, C> FromColumns<3> for Option<(A, B, C)>
where
    Option<A>: FromColumn,
    Option<B>: FromColumn,
    Option<C>: FromColumn,
{
    fn from_columns(row: &Row, [a, b, c]: [&'static str; 3]) -> Result<Self, Error> {
        let first = row.get::<Option<A>>(a)?.zip(row.get(b)?);
        Ok(first.zip(row.get(c)?).map(|((a, b), c)| (a, b, c)))
    }
}

/// From the columns of the latitude and the longitude; none if one of them is null or out of range.
impl FromColumns<2> for Option<Coordinates> {
    fn from_columns(row: &Row, columns: [&'static str; 2]) -> Result<Self, Error> {
        let part = |column| -> Result<Option<i32>, Error> {
            let part: Option<i64> = row.get(column)?;
            Ok(part.and_then(|part| i32::try_from(part).ok()))
        };
        let [lat, lon] = columns;
        Ok(part(lat)?.zip(part(lon)?).map(|(lat_e7, lon_e7)| Coordinates { lat_e7, lon_e7 }))
    }
}

/// The result of `returning id`.
#[derive(macros::FromRow)]
pub(crate) struct Id<T>(#[row(column = "id")] pub T);

#[cfg(test)]
mod tests {
    use domain::locale::DateFormat;
    use domain::row::FromRow as _;
    use domain::{Actor, ActorKind, PersonKind};
    use sqlx::sqlite::SqliteConnection;
    use sqlx::{Connection as _, Executor as _};

    use super::*;

    #[derive(Debug, PartialEq, macros::FromRow)]
    struct Inner {
        kind: PersonKind,
        #[row(columns("actor_kind", "actor_id", "actor_name"))]
        author: Option<Actor>,
    }

    #[derive(Debug, PartialEq, macros::FromRow)]
    struct Outer<T> {
        id: T,
        #[row(column = "seen_at")]
        seen: Option<Timestamp>,
        #[row(parse = DateFormat::parse_for_brand)]
        date_format: DateFormat,
        #[row(columns("project_id", "project_name"))]
        project: Option<(ProjectId, String)>,
        #[row(flatten)]
        inner: Inner,
    }

    async fn read(query: &'static str) -> Result<Outer<TagId>, Error> {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        let row = connection.fetch_one(query).await.unwrap();
        Outer::from_row(&Row::Sqlite(row))
    }

    #[tokio::test]
    async fn a_derived_record_is_read_from_its_columns() {
        let found = read(
            "select 7 as id, 5 as seen_at, 'DD/MM/YYYY' as date_format, 3 as project_id, 'Bridge' as project_name,
                 'visitor' as kind, 'user' as actor_kind, 4 as actor_id, 'Ada' as actor_name",
        );
        let expected = Outer {
            id: TagId(7),
            seen: Some(Timestamp::from_micros(5)),
            date_format: DateFormat::parse("DD/MM/YYYY").unwrap(),
            project: Some((ProjectId(3), "Bridge".to_owned())),
            inner: Inner {
                kind: PersonKind::Visitor,
                author: Some(Actor { kind: ActorKind::User, id: Some(4), name: Some("Ada".to_owned()) }),
            },
        };
        assert_eq!(found.await.unwrap(), expected);
    }

    #[tokio::test]
    async fn null_columns_are_none() {
        let found = read(
            "select 7 as id, null as seen_at, 'DD/MM/YYYY' as date_format, 3 as project_id, null as project_name,
                 'visitor' as kind, null as actor_kind, null as actor_id, null as actor_name",
        );
        let found = found.await.unwrap();
        assert_eq!((found.seen, found.project, found.inner.author), (None, None, None));
    }

    #[tokio::test]
    async fn an_unknown_word_is_reported_with_its_column() {
        for (query, message) in [
            (
                "select 7 as id, 5 as seen_at, 'YYYY-MM-DD' as date_format",
                "column date_format has the unknown word \"YYYY-MM-DD\"",
            ),
            (
                "select 7 as id, 5 as seen_at, 'DD/MM/YYYY' as date_format, 3 as project_id, null as project_name,
                     'ghost' as kind",
                "column kind has the unknown word \"ghost\"",
            ),
        ] {
            let error = read(query).await.unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}
