//! GET /reports/{id}/file: a file of a report, to save or to look at.

use std::sync::Arc;

use app::{App, Error};
use axum::body::Body;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{ReportFormat, ReportId, encode_hex};
use http::{HeaderMap, HeaderValue, Method, header};
use web::{
    Caller, Disposition, FromParams, Params, PathId, Query, RangeOutcome, Representation, Result,
    evaluate_range_request,
};

/// Browsers draw a PDF with an embedded viewer and styles of their own, which the policy of other files forbids. There is no script in it.
const PDF_POLICY: &str = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

pub struct FileQuery {
    format: Option<ReportFormat>,
    /// Whether the browser shows the file instead of saving it. Only a PDF is shown.
    is_inline: bool,
}

impl FromParams for FileQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { format: query.one("format", ReportFormat::parse)?, is_inline: query.flag("inline")? })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(query): Params<FileQuery>,
    method: Method,
    headers: HeaderMap,
) -> Result {
    let file = app.open_report(&caller, ReportId(id), query.format).await?;
    let is_shown = query.is_inline && file.format == ReportFormat::Pdf;
    let stored = Representation {
        size_bytes: file.content.size_bytes.unsigned_abs(),
        media_type: file.format.content_type(),
        etag: encode_hex(&file.content.sha256),
        file_name: file.file_name.clone(),
        disposition: if is_shown { Disposition::Inline } else { Disposition::Attachment },
    };
    let mut answer = match evaluate_range_request(&method, &headers, &stored)? {
        RangeOutcome::WithoutBody(answer) => answer,
        RangeOutcome::WithBody(range, answer) => {
            let bytes = app.read_report(&file, range).await?;
            answer.map(|_| Body::from_stream(bytes))
        }
    };
    if is_shown {
        let policy = HeaderValue::from_static(PDF_POLICY);
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(answer)
}
