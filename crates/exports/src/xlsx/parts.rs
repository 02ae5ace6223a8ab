//! The small parts of a workbook: content types, the list of sheets, and the metadata sheet.

use super::namespaces::{DECLARATION, DOCUMENT_NAMESPACE, MAIN_NAMESPACE, PACKAGE_NAMESPACE};
use super::styles::{METADATA_NAME, METADATA_VALUE};
use super::text::{push_cell_text, push_xml};
use crate::Table;

const CONTENT_TYPE_PREFIX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

pub(super) fn content_types(table: &Table) -> String {
    let mut part = format!(
        "{DECLARATION}<Types xmlns=\"{PACKAGE_NAMESPACE}/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>"
    );
    let mut add = |name: &str, kind: &str| {
        part.push_str(&format!(
            "<Override PartName=\"/xl/{name}.xml\" ContentType=\"{CONTENT_TYPE_PREFIX}.{kind}+xml\"/>"
        ));
    };
    add("workbook", "sheet.main");
    add("styles", "styles");
    add("sharedStrings", "sharedStrings");
    add("worksheets/sheet1", "worksheet");
    if !table.metadata.is_empty() {
        add("worksheets/sheet2", "worksheet");
    }
    part + "</Types>"
}

pub(super) fn package_relations() -> String {
    format!(
        "{DECLARATION}<Relationships xmlns=\"{PACKAGE_NAMESPACE}/relationships\">\
         <Relationship Id=\"rId1\" Type=\"{DOCUMENT_NAMESPACE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
    )
}

pub(super) fn workbook_relations(table: &Table) -> String {
    let mut part = format!("{DECLARATION}<Relationships xmlns=\"{PACKAGE_NAMESPACE}/relationships\">");
    let mut add = |id: u8, kind: &str, target: &str| {
        part.push_str(&format!(
            "<Relationship Id=\"rId{id}\" Type=\"{DOCUMENT_NAMESPACE}/{kind}\" Target=\"{target}.xml\"/>"
        ));
    };
    add(1, "worksheet", "worksheets/sheet1");
    if !table.metadata.is_empty() {
        add(2, "worksheet", "worksheets/sheet2");
    }
    add(3, "styles", "styles");
    add(4, "sharedStrings", "sharedStrings");
    part + "</Relationships>"
}

/// Returns the workbook part: its sheets, of which the second has the metadata, and defined names for the lines that are repeated on each
/// printed page and for the filter.
pub(super) fn workbook(
    table: &Table,
    (sheet, metadata_sheet): (&str, &str),
    heading_lines: u64,
    filtered: Option<&str>,
) -> Vec<u8> {
    let mut part = format!(
        "{DECLARATION}<workbook xmlns=\"{MAIN_NAMESPACE}\" xmlns:r=\"{DOCUMENT_NAMESPACE}\"><bookViews><workbookView/></bookViews><sheets><sheet name=\""
    )
    .into_bytes();
    push_xml(&mut part, sheet);
    part.extend_from_slice(b"\" sheetId=\"1\" r:id=\"rId1\"/>");
    if !table.metadata.is_empty() {
        part.extend_from_slice(b"<sheet name=\"");
        push_xml(&mut part, metadata_sheet);
        part.extend_from_slice(b"\" sheetId=\"2\" r:id=\"rId2\"/>");
    }
    part.extend_from_slice(b"</sheets><definedNames>");
    let quoted = format!("'{}'", sheet.replace('\'', "''"));
    if let Some(range) = filtered {
        part.extend_from_slice(
            b"<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"0\" hidden=\"1\">",
        );
        push_xml(&mut part, &format!("{quoted}!{range}"));
        part.extend_from_slice(b"</definedName>");
    }
    part.extend_from_slice(b"<definedName name=\"_xlnm.Print_Titles\" localSheetId=\"0\">");
    push_xml(&mut part, &format!("{quoted}!$1:${heading_lines}"));
    part.extend_from_slice(b"</definedName></definedNames></workbook>");
    part
}

/// Returns the metadata sheet, with a name and a value per line.
pub(super) fn metadata_sheet(table: &Table) -> Vec<u8> {
    let mut part = format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN_NAMESPACE}\"><sheetViews><sheetView workbookViewId=\"0\"/></sheetViews>\
         <cols><col min=\"1\" max=\"1\" width=\"24\" customWidth=\"1\"/><col min=\"2\" max=\"2\" width=\"90\" customWidth=\"1\"/></cols><sheetData>"
    )
    .into_bytes();
    for (line, (name, value)) in (1..).zip(&table.metadata) {
        part.extend_from_slice(format!("<row r=\"{line}\">").as_bytes());
        for (letter, style, text) in [('A', METADATA_NAME, name), ('B', METADATA_VALUE, value)] {
            let lead = format!("<c r=\"{letter}{line}\" s=\"{style}\" t=\"inlineStr\"><is>");
            part.extend_from_slice(lead.as_bytes());
            push_cell_text(&mut part, text);
            part.extend_from_slice(b"</is></c>");
        }
        part.extend_from_slice(b"</row>");
    }
    part.extend_from_slice(b"</sheetData></worksheet>");
    part
}
