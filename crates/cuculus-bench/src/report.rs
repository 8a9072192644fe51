//! One self-contained HTML page: the machine, the tables, the pictures as inline SVG.

use std::fmt::Write as _;
use std::path::Path;

use crate::compare::Comparison;
use crate::limit::Limit;
use crate::meter::Machine;
use crate::plots::{Picture, dark_rules};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const STYLE: &str = "
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:0 auto;padding:24px;background:#fff;color:#222223}
h1{font-size:26px;margin:0 0 4px}h2{font-size:19px;margin:36px 0 8px}
figure{margin:20px 0;overflow-x:auto}figure svg{max-width:100%;height:auto;display:block}
figcaption{color:#55585e;margin-top:4px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13.5px;margin:8px 0}
th,td{padding:4px 9px;text-align:right;border-bottom:1px solid #dedfe2;white-space:nowrap}
th:first-child,td:first-child{text-align:left}td.text,th.text{text-align:left;white-space:normal}
th{font-weight:600;vertical-align:bottom}
.true{font-weight:600}.false{font-weight:600;text-decoration:underline;text-decoration-style:wavy}
p.note{color:#55585e}
@media (prefers-color-scheme:dark){body{background:#14161a;color:#e5e6e8}th,td{border-color:#3a3d43}
figcaption,p.note{color:#a8aaaf}}
";

/// A page that grows section by section.
pub struct Page {
    html: String,
    /// Whether headings, notes and tables are printed as well.
    echo: bool,
}

/// Text made safe for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Page {
    /// A page with its heading and the machine.
    pub fn new(title: &str, machine: &Machine) -> Self {
        let mut page = Page { html: String::new(), echo: false };
        let title = escape(title);
        let _ = write!(
            page.html,
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>{STYLE}{}</style></head>\
             <body><h1>{title}</h1>",
            dark_rules()
        );
        page.note(&format!(
            "Measured {} on {}, {} cores, caches {}, {} GiB of memory, {}; transparent huge pages {}; built for {}; one \
             thread{}. Speeds are medians of repeats in interleaved order, by the \
             thread's own clock, which stands still while other programs have the core; rates are counted on absent keys, never computed.",
            machine.date,
            machine.cpu,
            machine.cores,
            machine.caches,
            machine.memory_gib,
            machine.system,
            machine.huge_pages,
            machine.compiled_for,
            if machine.counters { "" } else { "; the machine has no hardware counters for instructions and misses" },
        ));
        page
    }

    /// The same page, which also prints what is added from now on.
    #[must_use]
    pub fn echoing(self) -> Self {
        Page { echo: true, ..self }
    }

    /// A heading.
    pub fn heading(&mut self, text: &str) {
        if self.echo {
            println!("\n== {text}");
        }
        let _ = write!(self.html, "<h2>{}</h2>", escape(text));
    }

    /// A paragraph of explanation.
    pub fn note(&mut self, text: &str) {
        if self.echo {
            println!("{text}");
        }
        let _ = write!(self.html, "<p class=\"note\">{}</p>", escape(text));
    }

    /// A picture with its caption.
    pub fn picture(&mut self, picture: &Picture) {
        let svg = picture.svg.find("<svg").map_or(picture.svg.as_str(), |at| &picture.svg[at..]);
        // Width and height would fix the size; the box lets it shrink with the window.
        let svg = match (attribute(svg, "width"), attribute(svg, "height"), svg.contains("viewBox")) {
            (Some(w), Some(h), false) => svg.replacen("<svg", &format!("<svg viewBox=\"0 0 {w} {h}\""), 1),
            _ => svg.to_owned(),
        };
        let caption = escape(&picture.caption);
        let svg = svg.replacen("<svg", &format!("<svg role=\"img\" aria-label=\"{caption}\""), 1);
        let _ = write!(self.html, "<figure>{svg}<figcaption>{caption}</figcaption></figure>");
    }

    /// A table; cells that are `true` or `false` stand out by more than colour.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let cell = |tag: &str, text: &str, i: usize| {
            let class = match text {
                "true" => " class=\"true\"",
                "false" => " class=\"false\"",
                _ if i > 0 && text.len() > 24 => " class=\"text\"",
                _ => "",
            };
            format!("<{tag}{class}>{}</{tag}>", escape(text))
        };
        if self.echo {
            print_table(head, rows);
        }
        self.html.push_str("<div class=\"scroll\"><table><thead><tr>");
        head.iter().enumerate().for_each(|(i, h)| self.html.push_str(&cell("th", h, i)));
        self.html.push_str("</tr></thead><tbody>");
        for row in rows {
            self.html.push_str("<tr>");
            row.iter().enumerate().for_each(|(i, c)| self.html.push_str(&cell("td", c, i)));
            self.html.push_str("</tr>");
        }
        self.html.push_str("</tbody></table></div>");
    }

    /// Writes the page.
    pub fn save(mut self, path: &Path) -> Outcome<()> {
        self.html.push_str("</body></html>\n");
        Ok(std::fs::write(path, self.html)?)
    }
}

fn print_table(head: &[&str], rows: &[Vec<String>]) {
    let length = |s: &str| s.chars().count();
    let width =
        |i: usize| rows.iter().filter_map(|r| r.get(i)).map(|c| length(c)).chain([length(head[i])]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (i, (cell, &width)) in cells.zip(&widths).enumerate() {
            let gap = " ".repeat(width - length(cell));
            // Words to the left, numbers to the right.
            text += &if i == 0 || width > 24 { format!("{cell}{gap}  ") } else { format!("{gap}{cell}  ") };
        }
        println!("{}", text.trim_end());
    };
    line(&mut head.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
}

fn attribute<'a>(svg: &'a str, name: &str) -> Option<&'a str> {
    let tag = &svg[..svg.find('>')?];
    let at = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[at..].split('"').next()
}

/// A speed for a table, or a dash.
pub fn speed(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |v| if v >= 100.0 { format!("{v:.0}") } else { format!("{v:.2}") })
}

/// A rate for a table, in percent.
pub fn percent(rate: f64) -> String {
    let p = rate * 100.0;
    if p >= 0.1 { format!("{p:.3}") } else { format!("{p:.5}") }
}

/// Table of the limits of the memory.
pub fn limit_table(page: &mut Page, limits: &[Limit]) {
    let rows: Vec<Vec<String>> = limits
        .iter()
        .map(|l| {
            let numbers = [l.one_line_mops, l.two_lines_mops, l.plain_one_line_mops, l.plain_two_lines_mops];
            let mut row = vec![format!("{} MiB, {} pages", l.mib, l.pages)];
            row.extend(numbers.iter().map(|&n| speed(Some(n))));
            row.push(speed(Some(l.sequential_gb_s)));
            row.push(l.huge_mib.map_or_else(|| "–".into(), |m| m.to_string()));
            row
        })
        .collect();
    let head = [
        "table",
        "one line, prefetched",
        "two lines, prefetched",
        "one line, plain loop",
        "two lines, plain loop",
        "sequential GB/s",
        "huge MiB in use",
    ];
    page.table(&head, &rows);
}

/// Rows of the comparison's main table.
pub fn comparison_rows(found: &Comparison) -> Vec<Vec<String>> {
    let row = |(r, s): (crate::row::Row, &crate::workload::Subject)| {
        vec![
            r.filter,
            r.items.to_string(),
            format!("{:.2}", r.memory_bytes as f64 / 1_048_576.0),
            format!("{:.2}", s.peak as f64 / 1_048_576.0),
            format!("{:.2}", r.bits_per_item),
            percent(r.promised_fpr),
            percent(r.measured_fpr),
            r.false_negatives.to_string(),
            speed(r.insert_mops),
            speed(r.insert_last5_mops),
            speed(r.hit0_mops),
            speed(r.hit50_mops),
            speed(r.hit100_mops),
            speed(r.many_hit0_mops),
            speed(r.many_hit50_mops),
            speed(r.many_hit100_mops),
            speed(r.remove_mops),
            speed(r.churn_mops),
            s.trouble().trim().to_owned(),
        ]
    };
    found.rows().into_iter().zip(&found.subjects).map(row).collect()
}

/// Head of [`comparison_rows`].
pub const COMPARISON_HEAD: [&str; 19] = [
    "filter",
    "items",
    "MiB",
    "peak MiB",
    "bits/item",
    "promised %",
    "measured %",
    "denied",
    "insert",
    "last 5 %",
    "0 % hits",
    "50 %",
    "100 %",
    "many 0 %",
    "many 50 %",
    "many 100 %",
    "remove",
    "churn",
    "notes",
];

/// Writes report.html of a comparison.
pub fn comparison(found: &Comparison, title: &str, pictures: &[Picture], machine: &Machine, out: &Path) -> Outcome<()> {
    let mut page = Page::new("Filters side by side", machine);
    page.note(title);
    page.heading("All filters");
    page.note(
        "Speeds in million operations a second. Denied: stored items that a filter said it does not hold, in the check of \
         every item after the fill and again after removals and churn. MiB: counted by one allocator for all filters.",
    );
    page.table(&COMPARISON_HEAD, &comparison_rows(found));
    for (kind, why) in &found.failed {
        page.note(&format!("{} was not measured: {why}", kind.name));
    }
    for picture in pictures {
        page.picture(picture);
    }
    page.heading("What the memory allows");
    page.note("Random 64-byte lines in the same run, million operations a second.");
    limit_table(&mut page, &found.limits);
    page.save(&out.join("report.html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_and_escaped() {
        let mut page = Page::new("a < b", &Machine::here());
        page.table(&["x", "y"], &[vec!["<1>".into(), "true".into()]]);
        page.picture(&Picture {
            name: "p".into(),
            caption: "c".into(),
            svg: "<svg width=\"10\" height=\"5\"></svg>".into(),
        });
        assert!(page.html.contains("a &lt; b") && page.html.contains("&lt;1&gt;"));
        assert!(page.html.contains("viewBox=\"0 0 10 5\"") && page.html.contains("class=\"true\""));
        assert_eq!(percent(0.01), "1.000");
    }
}
