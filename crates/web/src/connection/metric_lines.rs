//! Lines of the text format of Prometheus.

/// Writes what a metric means and of which kind it is, before its values.
pub(super) fn write_header(out: &mut String, name: &str, help: &str, kind: &str) {
    out.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
}

/// Writes a gauge that has one value.
pub(super) fn write_gauge(out: &mut String, name: &str, help: &str, value: u64) {
    write_header(out, name, help, "gauge");
    out.push_str(&format!("{name} {value}\n"));
}
