//! The XML declaration and the namespaces of the parts of a workbook.

pub(super) const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
pub(super) const MAIN_NAMESPACE: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
pub(super) const DOCUMENT_NAMESPACE: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
pub(super) const PACKAGE_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006";
