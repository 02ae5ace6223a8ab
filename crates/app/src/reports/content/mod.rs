//! What the files of a report contain: documents, tables and JSON, made from stored figures.
//!
//! Each kind has a file of its own, which lists the blocks of its document. `summary`, `worst` and `advice` write the first page,
//! `period_end` says that a period is not over, `charts` and `tables` draw the numbers, `method` and `provenance` end every document;
//! `sheets` writes the tables of XLSX and CSV, `json` the files for programs.

mod advice;
mod charts;
mod composer;
mod duration_chart;
mod formats;
mod incursion_sheet;
mod incursions;
mod json;
mod json_answers;
mod json_records;
mod machine;
mod maps;
mod method;
mod outliers;
mod period_end;
mod person;
mod pivot;
mod pivot_sheet;
mod project_summary;
mod provenance;
mod sections;
mod sheet_parts;
mod sheets;
mod site_report;
mod site_safety;
mod summary;
mod tables;
mod tag_test_findings;
mod tag_tests;
mod tested_tags;
mod visits;
mod week_chart;
mod worksite_sheet;
mod worst;

use documents::{Block, Document, Letterhead};
use domain::insights::Month;
use domain::{BrandSettings, Day, Paper, Report, ReportKind, TimeZone, Timestamp};
use texts::Language;

use super::deadline::Deadline;
use super::figures::ReportFigures;
use super::names::ReportNames;
use super::request::ReportRequest;

use composer::Composer;
pub(crate) use json::write_json;
pub(crate) use sheets::write_table;

/// Everything that a file is made from.
pub(crate) struct OwnedContent {
    pub report: Report,
    pub request: ReportRequest,
    pub figures: ReportFigures,
    pub names: ReportNames,
    pub brand: BrandSettings,
    pub logo: Option<documents::Picture>,
    pub base_url: String,
    pub deadline: Deadline,
}

/// Builds the document of a report. Once its deadline is over, parts are left out, because nobody gets it.
pub(crate) fn build_document(content: &OwnedContent) -> Document {
    let composer = Composer::new(content);
    let mut blocks: Vec<Block> = period_end::block(&composer).into_iter().collect();
    blocks.extend(match content.request.kind {
        ReportKind::SiteSafety => site_safety::blocks(&composer),
        ReportKind::ProjectSummary => project_summary::blocks(&composer),
        ReportKind::Machine => machine::blocks(&composer),
        ReportKind::Person => person::blocks(&composer),
        ReportKind::TagTestCompliance => tag_tests::blocks(&composer),
        ReportKind::VisitorLog => visits::blocks(&composer),
        ReportKind::Incursions => incursions::blocks(&composer),
        ReportKind::Pivot => pivot::blocks(&composer),
        ReportKind::SiteReport => site_report::blocks(&composer),
    });
    blocks.extend(method::blocks(&composer));
    blocks.extend(provenance::blocks(&composer));
    let language = composer.language();
    let brand = content.brand.values.name.as_str();
    Document {
        title: composer.title(),
        subtitle: composer.subtitle(),
        language: language_tag(&content.request, language).to_owned(),
        author: texts::documents::MADE_BY.fill(language, &[("brand", brand)]),
        created_at: creation_time(content.figures.computed_at.unwrap_or(content.report.created_at)),
        paper: match content.request.paper {
            Paper::A4 => documents::Paper::A4,
            Paper::Letter => documents::Paper::Letter,
        },
        is_landscape: is_wide(content.request.kind, &blocks),
        letterhead: Letterhead {
            brand: brand.to_owned(),
            logo: content.logo.clone(),
            page_of: texts::documents::PAGE_OF.get(language).to_owned(),
            footer: composer.period(),
            continued: texts::documents::CONTINUED.get(language).to_owned(),
        },
        blocks,
    }
}

/// Returns whether the tables of a report would be cramped on pages that are higher than wide.
fn is_wide(kind: ReportKind, blocks: &[Block]) -> bool {
    match kind {
        ReportKind::Incursions | ReportKind::VisitorLog => true,
        ReportKind::Pivot => {
            blocks.iter().any(|block| matches!(block, Block::Table(table) if table.columns.len() > 5))
        }
        _ => false,
    }
}

/// Returns the tag of the language of the texts: with the region that the author prefers, if they prefer this language.
fn language_tag(request: &ReportRequest, language: Language) -> &str {
    let preferred = &request.preferences.language;
    if preferred.language() == language.as_str() { preferred.as_str() } else { language.as_str() }
}

/// Returns a time as the properties of a document have it.
fn creation_time(at: Timestamp) -> documents::CreationTime {
    let local = TimeZone::utc().local(at);
    let month = Month::of(Day::from_number(local.day));
    let part = |number: i64| u8::try_from(number).unwrap_or(0);
    documents::CreationTime {
        year: u16::try_from(month.year()).unwrap_or(1970),
        month: part(month.month_of_year()),
        day: part(local.day - month.first_day().number() + 1),
        hour: part(local.hour()),
        minute: part(local.second_of_day / 60 % 60),
        second: part(local.second_of_day % 60),
    }
}

#[cfg(test)]
mod tests {
    use texts::reports::report_title;
    use texts::schedules;

    use super::*;

    #[test]
    fn every_kind_has_a_title() {
        for kind in ReportKind::ALL {
            for language in Language::ALL {
                let title = report_title(language, kind.as_str());
                assert_ne!(title, schedules::REPORT.get(language), "{kind:?}");
            }
        }
    }

    #[test]
    fn a_document_was_created_when_its_figures_were_computed() {
        let at = Timestamp::parse("2024-02-29T23:59:58.5Z").unwrap();
        let created = creation_time(at);
        assert_eq!((created.year, created.month, created.day), (2024, 2, 29));
        assert_eq!((created.hour, created.minute, created.second), (23, 59, 58));
    }
}
