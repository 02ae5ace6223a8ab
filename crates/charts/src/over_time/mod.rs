//! Charts over time, and what only they need.

pub(crate) mod gantt;
pub(crate) mod gapped_line;
pub(crate) mod missing_marks;
pub(crate) mod partial;
pub(crate) mod slots;
pub(crate) mod time_bars;
pub(crate) mod time_lines;
