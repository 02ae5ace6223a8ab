//! Signed links in mails, through which whoever has one downloads the file of a report until the link expires.
//!
//! A link is not stored. Its token names the file and the time at which it expires, with a code that only the installation can make.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{BrandId, ReportFormat, ReportId, ReportState, Timestamp};

use super::ReportDownload;
use super::lifecycle::report_expired;
use crate::platform::crypto::{constant_time_eq, hmac_sha256};
use crate::{App, Error, ErrorKind};

/// Separates the codes of links from the other uses of the key.
const LABEL: &[u8] = b"report link\0";
/// Bytes of the code that a token has.
const CODE_BYTES: usize = 16;

/// What a token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReportLink {
    brand: BrandId,
    report: ReportId,
    format: ReportFormat,
    expires_s: i64,
}

impl ReportLink {
    fn to_text(self) -> String {
        format!("{}.{}.{}.{}", self.brand, self.report, self.format.as_str(), self.expires_s)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let link = Self {
            brand: BrandId(parts.next()?.parse().ok()?),
            report: ReportId(parts.next()?.parse().ok()?),
            format: ReportFormat::parse(parts.next()?).ok()?,
            expires_s: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(link)
    }
}

#[macros::boxed]
impl App {
    /// Opens the file behind a signed link. A link that was forged does not exist; whoever has a true one learns that it has expired, or
    /// that its report is gone.
    pub async fn open_linked_report(&self, token: &str) -> Result<ReportDownload, Error> {
        let link = self.read_report_link(token).ok_or_else(|| Error::not_found("link"))?;
        if self.clock.now() >= Timestamp::from_seconds(link.expires_s) {
            return Err(Error::new(ErrorKind::NotFound, "link_expired", "The link has expired."));
        }
        let scope = self.scope_of(link.brand);
        let found = self.store.read().await?.reports_of(&scope).find(link.report).await?;
        let gone = [ReportState::Failed, ReportState::Expired];
        let report = found.filter(|report| !gone.contains(&report.state)).ok_or_else(report_expired)?;
        self.open_report_file(link.brand, &report, link.format).await
    }

    /// Returns the token of a link to the file of a report.
    pub(super) fn sign_report_link(
        &self,
        brand: BrandId,
        report: ReportId,
        format: ReportFormat,
        expires_at: Timestamp,
    ) -> String {
        let text = ReportLink { brand, report, format, expires_s: expires_at.seconds() }.to_text();
        let code = link_code(&self.keys().derivation_key, &text);
        format!("{text}.{code}")
    }

    /// Returns what a token says, if its code is right.
    fn read_report_link(&self, token: &str) -> Option<ReportLink> {
        let (text, code) = token.rsplit_once('.')?;
        let expected = link_code(&self.keys().derivation_key, text);
        if !constant_time_eq(code.as_bytes(), expected.as_bytes()) {
            return None;
        }
        ReportLink::parse(text)
    }
}

fn link_code(key: &[u8], text: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(&hmac_sha256(key, &[LABEL, text.as_bytes()])[..CODE_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_what_was_signed_and_nothing_else() {
        let link = ReportLink {
            brand: BrandId(1),
            report: ReportId(7),
            format: ReportFormat::Pdf,
            expires_s: 1_773_000_000,
        };
        assert_eq!(link.to_text(), "1.7.pdf.1773000000");
        assert_eq!(ReportLink::parse(&link.to_text()), Some(link));
        for bad in ["", "1.7.pdf", "1.7.pdf.x", "1.7.exe.1", "1.7.pdf.1.2", "a.7.pdf.1"] {
            assert_eq!(ReportLink::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_code_depends_on_the_key_and_on_every_part() {
        let code = link_code(b"key", "1.7.pdf.1773000000");
        assert_eq!(code.len(), 22);
        for (key, text) in [
            ("other", "1.7.pdf.1773000000"),
            ("key", "2.7.pdf.1773000000"),
            ("key", "1.8.pdf.1773000000"),
            ("key", "1.7.csv.1773000000"),
            ("key", "1.7.pdf.1773000001"),
        ] {
            assert_ne!(link_code(key.as_bytes(), text), code, "{text}");
        }
    }
}
