//! The parts that charts are laid out with: frame, legend, scales, axes, classes of shades, and the description of the data.

pub(crate) mod classes;
pub(crate) mod describe;
pub(crate) mod frame;
pub(crate) mod legend;
pub(crate) mod plot;
pub(crate) mod scale;
pub(crate) mod time_axis;
