//! Pictures: what is drawn, apart from how (`draw`) and in which colours (`style`).

mod draw;
mod pictures;
mod style;

use std::path::Path;

pub use draw::{Axis, Chart, Dots, Line, Scale};
pub use pictures::{comparison, lines_by_filter};
pub use style::{Mark, Pen, Theme, dark_rules, pen, plain_pen};

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// File name without ending.
    pub name: String,
    /// What it shows, in a sentence.
    pub caption: String,
    /// The SVG text, for the report.
    pub svg: String,
}

/// Something that can be drawn.
pub enum Drawing {
    /// Lines with marks.
    Chart(Chart),
    /// A row of marks for each filter.
    Dots(Dots),
}

impl Drawing {
    /// Writes `name.svg`, `name.png` and `name-dark.png`.
    pub fn save(&self, name: &str, caption: &str, out: &Path) -> Result<Picture, Box<dyn std::error::Error>> {
        draw::fonts();
        let svg = style::adaptive(&draw::svg(self)?);
        std::fs::write(out.join(format!("{name}.svg")), &svg)?;
        draw::png(self, &Theme::LIGHT, &out.join(format!("{name}.png")))?;
        draw::png(self, &Theme::DARK, &out.join(format!("{name}-dark.png")))?;
        Ok(Picture { name: name.to_owned(), caption: caption.to_owned(), svg })
    }
}
