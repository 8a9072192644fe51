//! Drawing with plotters: axes, lines with marks, and the legend in a column of its own, where it covers nothing.

use std::path::Path;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Drawing;
use super::style::{Mark, Pen, Theme};

type Area<'a, DB> = DrawingArea<DB, Shift>;
type Failure = Box<dyn std::error::Error>;

const WIDTH: u32 = 860;
const HEIGHT: u32 = 470;
const LEGEND: u32 = 225;

/// How an axis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By tens.
    Log,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What and in which unit.
    pub label: String,
    /// How it counts.
    pub scale: Scale,
    /// Its ends; found from the points where not given.
    pub range: Option<(f64, f64)>,
    /// Marks on the axis; found where not given.
    pub ticks: Option<Vec<f64>>,
}

impl Axis {
    /// An even axis that starts at zero.
    pub fn linear(label: &str) -> Self {
        Axis { label: label.to_owned(), scale: Scale::Linear, range: None, ticks: None }
    }

    /// An axis by tens.
    pub fn log(label: &str) -> Self {
        Axis { scale: Scale::Log, ..Self::linear(label) }
    }

    /// The same with given ends.
    #[must_use]
    pub fn between(self, from: f64, to: f64) -> Self {
        Axis { range: Some((from, to)), ..self }
    }

    /// The same with given marks.
    #[must_use]
    pub fn at(self, ticks: &[f64]) -> Self {
        Axis { ticks: Some(ticks.to_vec()), ..self }
    }

    /// Position of a value along the axis.
    fn place(&self, x: f64) -> f64 {
        if self.scale == Scale::Log { x.max(1e-300).log10() } else { x }
    }

    /// Ends and marks, in positions.
    fn layout(&self, values: impl Iterator<Item = f64> + Clone) -> (f64, f64, Vec<f64>) {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low.is_finite() { (low, high) } else { (0.0, 1.0) };
        match self.scale {
            Scale::Linear => {
                let (from, to) = self.range.unwrap_or((low.min(0.0), if high > 0.0 { high * 1.06 } else { 1.0 }));
                let ticks = self.ticks.clone().unwrap_or_else(|| even_ticks(from, to));
                (from, to, ticks)
            }
            Scale::Log => {
                let (from, to) = self.range.unwrap_or((low / 1.4, high * 1.4));
                let (from, to) = (self.place(from), self.place(to));
                let ticks = match &self.ticks {
                    Some(ticks) => ticks.iter().map(|&t| self.place(t)).collect(),
                    None => log_ticks(from, to),
                };
                (from, to, ticks)
            }
        }
    }

    /// The text beside a mark.
    fn text(&self, position: f64) -> String {
        let x = if self.scale == Scale::Log { 10f64.powf(position) } else { position };
        number(x)
    }
}

/// A number without needless digits; thousands as k, M, G.
fn number(x: f64) -> String {
    let (scaled, unit) = match x.abs() {
        a if a >= 0.999e9 => (x / 1e9, "G"),
        a if a >= 0.999e6 => (x / 1e6, "M"),
        a if a >= 0.999e4 => (x / 1e3, "k"),
        _ => (x, ""),
    };
    let text = format!("{scaled:.5}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

fn even_ticks(from: f64, to: f64) -> Vec<f64> {
    let rough = (to - from).max(1e-12) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough).unwrap_or(rough);
    let first = (from / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|t| *t <= to + step * 1e-9).collect()
}

fn log_ticks(from: f64, to: f64) -> Vec<f64> {
    let steps: &[f64] = if to - from < 1.3 {
        &[1.0, 2.0, 3.0, 5.0, 7.0]
    } else if to - from < 2.6 {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0]
    };
    (from.floor() as i32..=to.ceil() as i32)
        .flat_map(|e| steps.iter().map(move |s| f64::from(e) + s.log10()))
        .filter(|t| (from - 1e-9..=to + 1e-9).contains(t))
        .collect()
}

/// A coordinate whose marks are given.
struct Ticked {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = plotters::coord::ranged1d::DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.from) / (self.to - self.from).max(1e-300);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: plotters::coord::ranged1d::KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.from..self.to
    }
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// How it looks.
    pub pen: Pen,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Axis to the right.
    pub x: Axis,
    /// Axis upwards.
    pub y: Axis,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
}

/// One row of marks for each filter.
#[derive(Clone, Debug)]
pub struct Dots {
    /// Title.
    pub title: String,
    /// Axis to the right.
    pub x: Axis,
    /// Names of the series with their pens.
    pub series: Vec<(String, Pen)>,
    /// Rows from the top: name, and a value for each series.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
}

/// Gives plotters a font that is part of the program, so that pictures look the same everywhere.
pub(super) fn fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        use plotters::style::register_font;
        let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
        let _ = register_font("sans-serif", FontStyle::Bold, dejavu::sans::bold());
    });
}

fn height(drawing: &Drawing) -> u32 {
    match drawing {
        Drawing::Chart(chart) => HEIGHT.max(90 + 24 * chart.lines.len() as u32),
        Drawing::Dots(dots) => 120 + 27 * dots.rows.len() as u32,
    }
}

/// The picture as SVG text, in the light colours.
pub(super) fn svg(drawing: &Drawing) -> Result<String, Failure> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height(drawing))).into_drawing_area();
        paint(drawing, &area, &Theme::LIGHT, 1)?;
        area.present().map_err(|e| e.to_string())?;
    }
    Ok(text)
}

/// The picture as PNG, twice as large for sharp screens.
pub(super) fn png(drawing: &Drawing, theme: &Theme, path: &Path) -> Result<(), Failure> {
    let area = BitMapBackend::new(path, (WIDTH * 2, height(drawing) * 2)).into_drawing_area();
    paint(drawing, &area, theme, 2)?;
    area.present().map_err(|e| e.to_string())?;
    Ok(())
}

fn paint<DB: DrawingBackend>(d: &Drawing, area: &Area<'_, DB>, theme: &Theme, zoom: u32) -> Result<(), Failure>
where
    DB::ErrorType: 'static,
{
    area.fill(&theme.ground).map_err(|e| e.to_string())?;
    let z = zoom as i32;
    let (title, x, y) = match d {
        Drawing::Chart(c) => (&c.title, &c.x, Some(&c.y)),
        Drawing::Dots(c) => (&c.title, &c.x, None),
    };
    let bold = FontDesc::new(FontFamily::SansSerif, f64::from(15 * zoom), FontStyle::Bold).color(&theme.ink);
    area.draw(&Text::new(title.clone(), (16 * z, 14 * z), bold)).map_err(|e| e.to_string())?;
    let (left, _) = area.split_horizontally((WIDTH - LEGEND) * zoom);
    let small = ("sans-serif", 12 * zoom).into_font().color(&theme.ink);
    let (x_values, y_values): (Vec<f64>, Vec<f64>) = match d {
        Drawing::Chart(c) => c.lines.iter().flat_map(|l| l.points.iter().copied()).unzip(),
        Drawing::Dots(c) => (c.rows.iter().flat_map(|r| r.1.iter().flatten().copied()).collect(), Vec::new()),
    };
    let (x0, x1, x_ticks) = x.layout(x_values.iter().copied());
    let (y0, y1, y_ticks) = match (y, d) {
        (Some(y), _) => y.layout(y_values.iter().copied()),
        (None, Drawing::Dots(c)) => (-0.5, c.rows.len() as f64 - 0.5, (0..c.rows.len()).map(|i| i as f64).collect()),
        _ => unreachable!("only dots have no second axis"),
    };
    let wide = matches!(d, Drawing::Dots(_));
    let mut chart = ChartBuilder::on(&left)
        .margin(12 * z)
        .margin_top(44 * z)
        .x_label_area_size(42 * z)
        .y_label_area_size(if wide { 178 * z } else { 58 * z })
        .build_cartesian_2d(Ticked { from: x0, to: x1, ticks: x_ticks }, Ticked { from: y0, to: y1, ticks: y_ticks })
        .map_err(|e| e.to_string())?;
    let row_name = |v: &f64| match d {
        Drawing::Dots(c) => c.rows.iter().rev().nth(v.round().max(0.0) as usize).map_or(String::new(), |r| r.0.clone()),
        Drawing::Chart(c) => c.y.text(*v),
    };
    chart
        .configure_mesh()
        .light_line_style(theme.ground)
        .max_light_lines(0)
        .bold_line_style(theme.grid.stroke_width(zoom))
        .axis_style(theme.ink.stroke_width(zoom))
        .label_style(small.clone())
        .axis_desc_style(("sans-serif", 13 * zoom).into_font().color(&theme.ink))
        .x_labels(40)
        .y_labels(60)
        .x_label_formatter(&|v| x.text(*v))
        .y_label_formatter(&row_name)
        .x_desc(x.label.clone())
        .y_desc(y.map_or(String::new(), |y| y.label.clone()))
        .draw()
        .map_err(|e| e.to_string())?;
    let mut legend = Vec::new();
    let mut marks = Vec::new();
    match d {
        Drawing::Chart(c) => {
            for line in &c.lines {
                legend.push((line.name.clone(), line.pen, true));
                let points: Vec<(f64, f64)> = line.points.iter().map(|p| (x.place(p.0), c.y.place(p.1))).collect();
                let stroke = theme.of(&line.pen).stroke_width(2 * zoom);
                if line.pen.dash == 0 {
                    chart.draw_series(LineSeries::new(points.clone(), stroke)).map_err(|e| e.to_string())?;
                } else {
                    let (dash, gap) = (line.pen.dash * z, 4 * z);
                    let dashed = DashedLineSeries::new(points.clone(), dash, gap, stroke);
                    chart.draw_series(dashed).map_err(|e| e.to_string())?;
                }
                marks.extend(points.iter().map(|p| (chart.backend_coord(p), line.pen)));
            }
        }
        Drawing::Dots(c) => {
            let last = c.rows.len().saturating_sub(1);
            for (i, (name, pen)) in c.series.iter().enumerate() {
                legend.push((name.clone(), *pen, false));
                for (row, (_, values)) in c.rows.iter().enumerate() {
                    if let Some(value) = values.get(i).copied().flatten() {
                        marks.push((chart.backend_coord(&(x.place(value), (last - row) as f64)), *pen));
                    }
                }
            }
        }
    }
    for (at, pen) in marks {
        mark(area, at, &pen, theme, z)?;
    }
    draw_legend(area, &legend, theme, z)
}

/// Draws a mark of nine pixels; hollow ones are filled with the ground, so that no line runs through them.
fn mark<DB: DrawingBackend>(
    area: &Area<'_, DB>,
    at: (i32, i32),
    pen: &Pen,
    theme: &Theme,
    z: i32,
) -> Result<(), Failure>
where
    DB::ErrorType: 'static,
{
    let colour = theme.of(pen);
    let edge = colour.stroke_width(2 * z as u32);
    let r = 4 * z;
    let moved = |points: Vec<(i32, i32)>| points.into_iter().map(|p| (p.0 + at.0, p.1 + at.1)).collect::<Vec<_>>();
    if pen.mark == Mark::None {
        return Ok(());
    }
    if pen.mark == Mark::Cross {
        for stroke in [vec![(-r, -r), (r, r)], vec![(-r, r), (r, -r)]] {
            area.draw(&PathElement::new(moved(stroke), edge)).map_err(|e| e.to_string())?;
        }
        return Ok(());
    }
    let mut points = moved(outline(pen.mark, r));
    let fill = if pen.filled { colour } else { theme.ground };
    area.draw(&Polygon::new(points.clone(), fill.filled())).map_err(|e| e.to_string())?;
    points.push(points[0]);
    area.draw(&PathElement::new(points, edge)).map_err(|e| e.to_string())?;
    Ok(())
}

/// Corners of a mark around the origin.
fn outline(mark: Mark, r: i32) -> Vec<(i32, i32)> {
    match mark {
        Mark::Square => vec![(-r, -r), (r, -r), (r, r), (-r, r)],
        Mark::Triangle => vec![(0, -r - r / 4), (r + r / 8, r), (-r - r / 8, r)],
        Mark::Down => vec![(0, r + r / 4), (r + r / 8, -r), (-r - r / 8, -r)],
        Mark::Diamond => vec![(0, -r - r / 3), (r + r / 3, 0), (0, r + r / 3), (-r - r / 3, 0)],
        _ => (0..20)
            .map(|i| {
                let a = f64::from(i) * std::f64::consts::TAU / 20.0;
                ((f64::from(r) * a.cos()).round() as i32, (f64::from(r) * a.sin()).round() as i32)
            })
            .collect(),
    }
}

fn draw_legend<DB: DrawingBackend>(
    area: &Area<'_, DB>,
    entries: &[(String, Pen, bool)],
    theme: &Theme,
    z: i32,
) -> Result<(), Failure>
where
    DB::ErrorType: 'static,
{
    let left = (WIDTH - LEGEND) as i32 * z + 6 * z;
    let font = ("sans-serif", 12 * z).into_font().color(&theme.ink).pos(Pos::new(HPos::Left, VPos::Center));
    for (i, (name, pen, line)) in entries.iter().enumerate() {
        let y = (58 + 22 * i as i32) * z;
        if *line {
            let stroke = theme.of(pen).stroke_width(2 * z as u32);
            let (from, to) = (left, left + 34 * z);
            let dash = if pen.dash == 0 { to - from } else { pen.dash * z };
            let mut at = from;
            while at < to {
                let path = PathElement::new(vec![(at, y), ((at + dash).min(to), y)], stroke);
                area.draw(&path).map_err(|e| e.to_string())?;
                at += dash + 4 * z;
            }
        }
        mark(area, (left + 17 * z, y), pen, theme, z)?;
        area.draw(&Text::new(name.clone(), (left + 42 * z, y), font.clone())).map_err(|e| e.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ticks() {
        assert_eq!(number(0.001), "0.001");
        assert_eq!(number(1e6), "1M");
        assert_eq!(number(2.5), "2.5");
        assert_eq!(number(0.0), "0");
        assert!(even_ticks(0.0, 100.0).len() >= 4);
        assert_eq!(log_ticks(0.0, 3.0).len(), 4);
    }
}
