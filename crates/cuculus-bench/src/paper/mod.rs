//! `paper`: each table and figure of the cuckoo filter paper beside its own numbers, and each claim true or false here.

mod claims;
mod journey;
mod loads;
mod losses;
mod numbers;
mod rates;
mod sizes;
mod steady;
mod table;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::adapter;
use crate::compare::Comparison;
use crate::limit;
use crate::measure::Effort;
use crate::meter::Machine;
use crate::plots::{Drawing, Picture};
use crate::report::{self, Page};
use crate::row;

pub use claims::Claim;

pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Options of `paper`.
#[derive(Args, Debug, Clone)]
pub struct PaperArgs {
    /// Directory for CSV files, pictures and the report.
    #[arg(long)]
    pub out: PathBuf,
    /// Smaller tables and fewer absent keys; ends in under two minutes.
    #[arg(long)]
    pub quick: bool,
    /// Also fill a table of 2^30 buckets (3.2 GB, half an hour or more).
    #[arg(long)]
    pub huge: bool,
}

/// How large everything is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Buckets of the large table are two to this power; 25 in the paper.
    pub table_log: u32,
    /// Tables of figure 1: powers of buckets.
    pub load_logs: &'static [u32],
    /// One more table for the claim about very large ones.
    pub largest_log: Option<u32>,
    /// Items of figure 2.
    pub rate_items: u64,
    /// Item counts of the size table that are filled; larger ones are only allocated.
    pub filled_up_to: u64,
    /// Largest set of the growth measurement.
    pub growth_to: u64,
    /// Items of the side-by-side table.
    pub compare_items: u64,
    /// Turnovers of the churn.
    pub turnovers: u32,
    /// Sizes of the line limit, MiB.
    pub limit_mib: &'static [usize],
    /// Effort of each measurement.
    pub effort: Effort,
}

impl Size {
    /// As the paper.
    pub const FULL: Size = Size {
        table_log: 25,
        load_logs: &[15, 20],
        largest_log: Some(26),
        rate_items: 4_000_000,
        filled_up_to: 10_000_000,
        growth_to: 10_000_000,
        compare_items: 1_000_000,
        turnovers: 4,
        limit_mib: &[192, 1024],
        effort: Effort::FULL,
    };
    /// A first look.
    pub const QUICK: Size = Size {
        table_log: 20,
        load_logs: &[15],
        largest_log: None,
        rate_items: 400_000,
        filled_up_to: 1_000_000,
        growth_to: 100_000,
        compare_items: 300_000,
        turnovers: 1,
        limit_mib: &[192],
        effort: Effort::QUICK,
    };
    /// A test.
    pub const TEST: Size = Size {
        table_log: 10,
        load_logs: &[8],
        largest_log: None,
        rate_items: 2_000,
        filled_up_to: 0,
        growth_to: 10_000,
        compare_items: 2_000,
        turnovers: 1,
        limit_mib: &[2],
        effort: Effort::TEST,
    };
}

/// What the sections work with: the page that grows, the claims, and where files go.
pub struct Run<'a> {
    size: Size,
    out: &'a Path,
    page: Page,
    claims: Vec<Claim>,
    started: Instant,
}

impl Run<'_> {
    fn draw(&mut self, drawing: &Drawing, name: &str, caption: &str) -> Outcome<()> {
        let picture: Picture = drawing.save(name, caption, self.out)?;
        self.page.picture(&picture);
        Ok(())
    }

    fn say(&self, what: &str) {
        eprintln!("[{:>4.0} s] {what}", self.started.elapsed().as_secs_f64());
    }

    fn csv<T: serde::Serialize>(&self, name: &str, rows: &[T]) -> Outcome<()> {
        row::write(&self.out.join(name), rows)
    }
}

/// Runs every section at the given size and writes paper.html.
pub fn reproduce(size: Size, huge: bool, out: &Path) -> Outcome<Vec<Claim>> {
    std::fs::create_dir_all(out)?;
    let machine = Machine::here();
    let page = Page::new("The cuckoo filter paper, measured again", &machine).echoing();
    let mut run = Run { size, out, page, claims: Vec::new(), started: Instant::now() };
    run.page.note(
        "Fan, Andersen, Kaminsky, Mitzenmacher: Cuckoo Filter: Practically Better Than Bloom, CoNEXT 2014. Shapes and \
         ratios should hold here; absolute speeds belong to their machine.",
    );
    let found = table::section(&mut run)?;
    loads::section(&mut run, huge)?;
    rates::section(&mut run)?;
    journey::section(&mut run, found)?;
    sizes::section(&mut run)?;
    run.say("every filter side by side");
    let all: Vec<_> = adapter::all().iter().collect();
    let plan = adapter::Plan::rate(size.compare_items, 0.01);
    let comparison = Comparison::run(&all, &plan, &size.effort);
    run.page.heading(&format!("Every filter at {} items, 1 % asked", size.compare_items));
    run.page.table(&report::COMPARISON_HEAD, &report::comparison_rows(&comparison));
    comparison.write(out)?;
    losses::section(&mut run, &comparison);
    drop(comparison);
    steady::section(&mut run)?;
    run.say("limits of the memory");
    run.page.heading("What the memory allows");
    let (repeats, operations) = if size.effort.repeats > 3 { (7, 1 << 22) } else { (3, size.effort.lookups * 2) };
    let limits = limit::limits(size.limit_mib, repeats, operations)?;
    report::limit_table(&mut run.page, &limits);
    run.csv("limit.csv", &limits)?;
    claims::section(&mut run)?;
    run.say("done");
    let Run { page, claims, .. } = run;
    page.save(&out.join("paper.html"))?;
    Ok(claims)
}

/// The command.
pub fn run(args: &PaperArgs) -> Outcome<()> {
    let size = if args.quick { Size::QUICK } else { Size::FULL };
    reproduce(size, args.huge, &args.out)?;
    println!("\nwritten to {}", args.out.display());
    Ok(())
}
