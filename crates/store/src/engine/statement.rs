//! SQL text with its bound values, independent of the engine.

use domain::insights::ColumnsFormat;
use domain::{
    AccountLinkId, AlertDeliveryId, AlertFiringId, AlertLevel, AlertMessageId, AlertRecipientId, AlertRuleId,
    AuditId, BaseStationId, BrandId, ClipId, DeviceEventId, DeviceId, ExportId, IncursionId, InstallationId,
    JobId, MachineAssignmentId, MachineId, MessageId, NoteId, PersonId, ProjectId, ReportId,
    ReportRecipientId, ReportScheduleId, RuntimePieceId, SavedViewId, ServiceTokenId, SessionId,
    SiteReportId, TagAssignmentId, TagId, TagTestId, Timestamp, TokenId, UserId, VisitId, WebhookId,
    WorksiteId,
};

use crate::Projects;
use crate::engine::dialect::ColumnNames;

/// A value bound to a placeholder. Each knows its type even when it is null, because PostgreSQL requires the type.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
    Bool(Option<bool>),
}

/// SQL text with numbered placeholders (`$1`) and their values.
///
/// The text is composed of `&'static str` only, so no input can become SQL.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub text: String,
    pub values: Vec<Value>,
    /// Whether the prepared statement is cached on the connection.
    pub is_cached: bool,
    /// The names of the columns, if a row comes as one value; see [`Tx::select`](crate::Tx).
    pub packed: Option<ColumnNames>,
}

impl Statement {
    pub fn new(text: &'static str) -> Self {
        Self { text: text.to_owned(), values: Vec::new(), is_cached: true, packed: None }
    }

    /// Excludes the statement from the cache: a text that is composed anew for each query would evict the ones that repeat.
    pub fn uncached(mut self) -> Self {
        self.is_cached = false;
        self
    }

    /// Binds the value of the next placeholder.
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    pub fn push(mut self, text: &'static str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Appends a condition that limits the rows to the scope's projects; `column` contains the project id.
    pub fn and_in_projects(self, projects: &Projects, column: &'static str) -> Self {
        let Projects::Only(ids) = projects else { return self };
        self.and_in(column, ids.iter().copied())
    }

    /// Appends a condition that limits the rows to those outside the scope's projects: of another project, or of none.
    pub fn and_not_in_projects(self, projects: &Projects, column: &'static str) -> Self {
        let ids = match projects {
            Projects::All => return self.push(" and 1 = 0"),
            Projects::Only(ids) if ids.is_empty() => return self,
            Projects::Only(ids) => ids.iter().copied(),
        };
        self.push(" and coalesce(").push(column).push(", 0) not in ").push_list(ids)
    }

    /// Appends a condition that limits the rows to those whose `column` has one of these values; there must not be thousands.
    pub fn and_in(self, column: &'static str, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        let mut values = values.into_iter().peekable();
        if values.peek().is_none() {
            return self.push(" and 1 = 0");
        }
        self.push(" and ").push(column).push(" in ").push_list(values)
    }

    /// The same for lists of many lengths. A list is filled up with its last value to one of a few lengths, so that its statement is one
    /// of a few, which are cached.
    pub fn and_in_padded(
        self,
        column: &'static str,
        values: impl IntoIterator<Item = impl Into<Value>>,
    ) -> Self {
        let mut values: Vec<Value> = values.into_iter().map(Into::into).collect();
        if let Some(last) = values.last().cloned() {
            values.resize(values.len().next_power_of_two(), last);
        }
        self.and_in(column, values)
    }

    /// Appends a condition that limits the rows to those whose `column` is null or none of these ids, of which there may be more
    /// than a statement can have placeholders. They are part of the text, which is safe because they are integers.
    pub fn and_not_in(mut self, column: &'static str, ids: impl IntoIterator<Item = i64>) -> Self {
        let ids: Vec<String> = ids.into_iter().map(|id| id.to_string()).collect();
        if ids.is_empty() {
            return self;
        }
        self = self.push(" and (").push(column).push(" is null or ").push(column).push(" not in (");
        self.text.push_str(&ids.join(", "));
        self.push("))").uncached()
    }

    /// Appends a list of values in parentheses. There must be at least one.
    pub fn push_list(mut self, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        for (index, value) in values.into_iter().enumerate() {
            self = self.push_with(if index == 0 { "($?" } else { ", $?" }, [value.into()]);
        }
        self.push(")")
    }

    /// Appends fixed text whose placeholders are written `$?`, in order, and binds their values.
    pub fn push_with<const N: usize>(mut self, text: &'static str, values: [Value; N]) -> Self {
        let mut values = values.into_iter();
        for (index, part) in text.split("$?").enumerate() {
            if index > 0 {
                self.values.extend(values.next());
                self.text.push('$');
                self.text.push_str(&self.values.len().to_string());
            }
            self.text.push_str(part);
        }
        debug_assert!(values.next().is_none(), "more values than placeholders in {text:?}");
        self
    }
}

/// `sql!("… $1 … $2", a, b)` makes a statement with its values.
macro_rules! sql {
    ($text:expr $(, $value:expr)* $(,)?) => {
        crate::engine::statement::Statement::new($text)$(.bind($value))*
    };
}
pub(crate) use sql;

macro_rules! into_value {
    ($($from:ty => $variant:ident, $convert:expr;)*) => {$(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$variant(Some($convert(value)))
            }
        }
        impl From<Option<$from>> for Value {
            fn from(value: Option<$from>) -> Self {
                Self::$variant(value.map($convert))
            }
        }
    )*};
}

into_value! {
    i64 => Int, |value| value;
    Timestamp => Int, Timestamp::micros;
    AlertLevel => Int, AlertLevel::millionths;
    BrandId => Int, |id: BrandId| id.0;
    UserId => Int, |id: UserId| id.0;
    ProjectId => Int, |id: ProjectId| id.0;
    SessionId => Int, |id: SessionId| id.0;
    TokenId => Int, |id: TokenId| id.0;
    ServiceTokenId => Int, |id: ServiceTokenId| id.0;
    DeviceId => Int, |id: DeviceId| id.0;
    PersonId => Int, |id: PersonId| id.0;
    AuditId => Int, |id: AuditId| id.0;
    TagId => Int, |id: TagId| id.0;
    TagAssignmentId => Int, |id: TagAssignmentId| id.0;
    TagTestId => Int, |id: TagTestId| id.0;
    VisitId => Int, |id: VisitId| id.0;
    WorksiteId => Int, |id: WorksiteId| id.0;
    MachineId => Int, |id: MachineId| id.0;
    MachineAssignmentId => Int, |id: MachineAssignmentId| id.0;
    BaseStationId => Int, |id: BaseStationId| id.0;
    InstallationId => Int, |id: InstallationId| id.0;
    NoteId => Int, |id: NoteId| id.0;
    AccountLinkId => Int, |id: AccountLinkId| id.0;
    JobId => Int, |id: JobId| id.0;
    IncursionId => Int, |id: IncursionId| id.0;
    RuntimePieceId => Int, |id: RuntimePieceId| id.0;
    DeviceEventId => Int, |id: DeviceEventId| id.0;
    MessageId => Int, |id: MessageId| id.0;
    ClipId => Int, |id: ClipId| id.0;
    ExportId => Int, |id: ExportId| id.0;
    SavedViewId => Int, |id: SavedViewId| id.0;
    ReportId => Int, |id: ReportId| id.0;
    ReportScheduleId => Int, |id: ReportScheduleId| id.0;
    ReportRecipientId => Int, |id: ReportRecipientId| id.0;
    SiteReportId => Int, |id: SiteReportId| id.0;
    AlertRuleId => Int, |id: AlertRuleId| id.0;
    AlertRecipientId => Int, |id: AlertRecipientId| id.0;
    AlertFiringId => Int, |id: AlertFiringId| id.0;
    AlertMessageId => Int, |id: AlertMessageId| id.0;
    AlertDeliveryId => Int, |id: AlertDeliveryId| id.0;
    WebhookId => Int, |id: WebhookId| id.0;
    ColumnsFormat => Int, |format: ColumnsFormat| i64::from(format.number());
    &str => Text, str::to_owned;
    String => Text, |value| value;
    &[u8] => Bytes, <[u8]>::to_vec;
    Vec<u8> => Bytes, |value| value;
    [u8; 32] => Bytes, |value: [u8; 32]| value.to_vec();
    bool => Bool, |value| value;
}

#[cfg(test)]
mod tests {
    #[test]
    fn later_conditions_take_the_next_numbers() {
        let statement = sql!("select 1 from people where brand_id = $1", 7)
            .push_with(" and kind = $?", ["staff".into()])
            .push_with(" and (name_key, id) > ($?, $?)", ["a".into(), 3.into()]);
        assert_eq!(
            statement.text,
            "select 1 from people where brand_id = $1 and kind = $2 and (name_key, id) > ($3, $4)"
        );
        assert_eq!(statement.values.len(), 4);
    }

    #[test]
    fn a_list_is_filled_up_to_one_of_a_few_lengths() {
        let text = |ids: &[i64]| sql!("select 1").and_in_padded("id", ids.iter().copied()).text;
        assert_eq!(text(&[]), "select 1 and 1 = 0");
        assert_eq!(text(&[7]), "select 1 and id in ($1)");
        assert_eq!(text(&[7, 8, 9]), "select 1 and id in ($1, $2, $3, $4)");
        assert_eq!(text(&[7, 8, 9]), text(&[7, 8, 9, 10]));
        let padded = sql!("select 1").and_in_padded("id", [7, 8, 9]);
        let last: Vec<String> = padded.values[2..].iter().map(|value| format!("{value:?}")).collect();
        assert_eq!(last, ["Int(Some(9))", "Int(Some(9))"]);
    }
}
