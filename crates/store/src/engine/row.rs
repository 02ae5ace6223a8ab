//! Reads values from a row of either engine.

use domain::{
    AccountLinkId, AuditId, BaseStationId, BrandId, ClipId, Coordinates, DeviceEventId, DeviceId, ExportId,
    IncursionId, InstallationId, JobId, MachineAssignmentId, MachineId, MessageId, NoteId, PersonId,
    ProjectId, RuntimePieceId, SavedViewId, SessionId, TagAssignmentId, TagId, TagTestId, Timestamp, TokenId,
    UserId, VisitId, WorksiteId,
};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};

use crate::Error;

/// A row of one of the engines.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
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
        };
        (0..columns).map(|place| self.int(place)).collect()
    }

    fn decode<T>(&self, column: &'static str) -> Result<T, Error>
    where
        T: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>,
    {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    /// Returns the enum value that the column stores as a number.
    pub fn parse_code<T>(
        &self,
        column: &'static str,
        from_code: impl Fn(i64) -> Option<T>,
    ) -> Result<T, Error> {
        let code: i64 = self.get(column)?;
        from_code(code).ok_or_else(|| Error::Unusable(format!("column {column} has the unknown code {code}")))
    }

    /// Returns a position from the columns of its two parts, or none if these are null.
    pub fn position(&self, lat: &'static str, lon: &'static str) -> Result<Option<Coordinates>, Error> {
        let part = |column| -> Result<Option<i32>, Error> {
            let part: Option<i64> = self.get(column)?;
            Ok(part.and_then(|part| i32::try_from(part).ok()))
        };
        Ok(part(lat)?.zip(part(lon)?).map(|(lat_e7, lon_e7)| Coordinates { lat_e7, lon_e7 }))
    }

    /// Returns the enum value that the column stores as a word. The schema constrains the words as well.
    pub fn parse<T, E>(
        &self,
        column: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, Error> {
        let word: String = self.get(column)?;
        parse(&word).map_err(|_| Error::Unusable(format!("column {column} has the unknown word {word:?}")))
    }

    /// The same for a column that may be null.
    pub fn parse_optional<T, E>(
        &self,
        column: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Error> {
        match self.get::<Option<String>>(column)? {
            Some(_) => self.parse(column, parse).map(Some),
            None => Ok(None),
        }
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
    BrandId as i64, BrandId;
    UserId as i64, UserId;
    ProjectId as i64, ProjectId;
    SessionId as i64, SessionId;
    TokenId as i64, TokenId;
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
}

/// The result of `returning id`.
pub(crate) struct Id<T>(pub T);

impl<T: FromColumn> FromRow for Id<T> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        row.get("id").map(Self)
    }
}

/// A record that is read from a row.
pub(crate) trait FromRow: Sized {
    fn from_row(row: &Row) -> Result<Self, Error>;
}
