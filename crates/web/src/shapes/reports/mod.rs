//! Reports, as both API versions read and show them, and their files.

mod fields;
mod record;

pub use fields::{
    NewReportBody, NewReportBodyParts, ReportFields, ReportFieldsOfSchedule, complete_report,
    resolve_saved_view,
};
pub use record::{ReportRecord, report_file_response, shape_report};
