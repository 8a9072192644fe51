//! Colours, marks and dashes. Every filter keeps its own in all pictures, and no two share both mark and dash, so that
//! lines can be told apart without colour.

use plotters::style::RGBColor;

/// Shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Down,
    None,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Pen {
    /// Colour on white.
    pub light: RGBColor,
    /// Colour on a dark ground.
    pub dark: RGBColor,
    /// Mark at each point.
    pub mark: Mark,
    /// Whether the mark is filled.
    pub filled: bool,
    /// Length of a dash, 0 for an unbroken line.
    pub dash: i32,
}

/// Ground and ink.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Theme {
    pub ground: RGBColor,
    pub ink: RGBColor,
    pub grid: RGBColor,
    pub dark: bool,
}

impl Theme {
    /// For white paper.
    pub const LIGHT: Theme = Theme {
        ground: RGBColor(255, 255, 255),
        ink: RGBColor(34, 34, 35),
        grid: RGBColor(222, 223, 226),
        dark: false,
    };
    /// For dark screens.
    pub const DARK: Theme =
        Theme { ground: RGBColor(20, 22, 26), ink: RGBColor(229, 230, 232), grid: RGBColor(58, 61, 67), dark: true };

    /// The colour of a pen on this ground.
    pub fn of(&self, pen: &Pen) -> RGBColor {
        if self.dark { pen.dark } else { pen.light }
    }
}

// The colours of Okabe and Ito, made for readers who confuse red and green, without the yellow that white swallows;
// lightened for the dark ground.
const BLUE: [RGBColor; 2] = [RGBColor(0, 114, 178), RGBColor(86, 170, 230)];
const RED: [RGBColor; 2] = [RGBColor(213, 94, 0), RGBColor(255, 138, 64)];
const GREEN: [RGBColor; 2] = [RGBColor(0, 133, 98), RGBColor(46, 196, 150)];
const PINK: [RGBColor; 2] = [RGBColor(190, 90, 150), RGBColor(226, 150, 196)];
const AMBER: [RGBColor; 2] = [RGBColor(176, 118, 0), RGBColor(236, 178, 46)];
const SKY: [RGBColor; 2] = [RGBColor(52, 140, 192), RGBColor(134, 204, 244)];
const GREY: [RGBColor; 2] = [RGBColor(104, 106, 110), RGBColor(168, 170, 175)];

const ALL: [[RGBColor; 2]; 7] = [BLUE, RED, GREEN, PINK, AMBER, SKY, GREY];

const fn make(colour: [RGBColor; 2], mark: Mark, filled: bool, dash: i32) -> Pen {
    Pen { light: colour[0], dark: colour[1], mark, filled, dash }
}

const NAMED: [(&str, Pen); 13] = [
    ("cuculus-packed", make(BLUE, Mark::Circle, true, 0)),
    ("cuculus-semi-sorted", make(RED, Mark::Square, true, 0)),
    ("cuculus-compact", make(GREEN, Mark::Triangle, true, 0)),
    ("fastbloom", make(PINK, Mark::Circle, false, 9)),
    ("sbbf", make(AMBER, Mark::Square, false, 9)),
    ("counting-bloom", make(SKY, Mark::Triangle, false, 9)),
    ("dleft-counting-bloom", make(GREY, Mark::Diamond, false, 9)),
    ("qfilter", make(SKY, Mark::Diamond, true, 4)),
    ("binary-fuse", make(GREEN, Mark::Down, false, 9)),
    ("cuckoofilter", make(BLUE, Mark::Cross, true, 4)),
    ("scalable-cuckoo", make(PINK, Mark::Down, true, 4)),
    ("autoscale-cuckoo", make(AMBER, Mark::Triangle, true, 4)),
    ("atomic-cuckoo", make(GREY, Mark::Square, true, 4)),
];

/// The pen of a filter.
pub fn pen(filter: &str) -> Pen {
    NAMED.iter().find(|n| n.0 == filter).map_or_else(|| plain_pen(6), |n| n.1)
}

/// A pen for the `i`-th line of a picture that is not about filters.
pub fn plain_pen(i: usize) -> Pen {
    const MARKS: [Mark; 6] = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond, Mark::Down, Mark::Cross];
    const DASHES: [i32; 3] = [0, 9, 4];
    make(ALL[i % ALL.len()], MARKS[i % MARKS.len()], (i / 6).is_multiple_of(2), DASHES[i / 2 % DASHES.len()])
}

/// Hexadecimal form, as the SVG writer prints it.
fn hex(c: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", c.0, c.1, c.2)
}

/// Style rules that turn the light colours of a picture into the dark ones.
pub fn dark_rules() -> String {
    let (light, dark) = (Theme::LIGHT, Theme::DARK);
    let mut pairs = vec![(light.ground, dark.ground), (light.ink, dark.ink), (light.grid, dark.grid)];
    pairs.extend(ALL.map(|c| (c[0], c[1])));
    let rule = |(from, to): (RGBColor, RGBColor)| {
        let (from, to) = (hex(from), hex(to));
        format!("svg [fill=\"{from}\"]{{fill:{to}}}svg [stroke=\"{from}\"]{{stroke:{to}}}")
    };
    format!("@media (prefers-color-scheme:dark){{{}}}", pairs.into_iter().map(rule).collect::<String>())
}

/// The SVG with rules for dark screens in it; readers without style sheets see the light picture.
pub(super) fn adaptive(svg: &str) -> String {
    let rules = format!("<style>{}</style>", dark_rules());
    match svg.find('>') {
        Some(end) => format!("{}{rules}{}", &svg[..=end], &svg[end + 1..]),
        None => svg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_filters_look_alike_without_colour() {
        for (i, a) in NAMED.iter().enumerate() {
            for b in &NAMED[..i] {
                let same = a.1.mark == b.1.mark && a.1.filled == b.1.filled && a.1.dash == b.1.dash;
                assert!(!same, "{} and {}", a.0, b.0);
            }
        }
        assert!(crate::adapter::all().iter().all(|k| NAMED.iter().any(|n| n.0 == k.name)));
        assert!(adaptive("<svg x=\"1\"><g/></svg>").starts_with("<svg x=\"1\"><style>"));
    }
}
