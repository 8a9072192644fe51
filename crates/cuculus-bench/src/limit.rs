//! What the memory allows: random 64-byte lines a second, one and two an operation, and sequential bandwidth.

use std::hint::black_box;
use std::path::PathBuf;

use clap::Args;
use memmap2::MmapMut;
use serde::Serialize;

use crate::keys::Dice;
use crate::measure::{median, mops, timed};
use crate::prefetch::prefetch;
use crate::row;

/// Lines asked for ahead of their use.
const BATCH: usize = 128;

/// Options of `limit`.
#[derive(Args, Debug, Clone)]
pub struct LimitArgs {
    /// Table sizes, in MiB.
    #[arg(long, value_delimiter = ',', default_value = "192,1024")]
    mib: Vec<usize>,
    /// Where to write limit.csv.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Fewer repeats.
    #[arg(long)]
    quick: bool,
}

/// One measured limit.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Limit {
    pub mib: usize,
    pub pages: &'static str,
    /// Prefetched loop, one line an operation, million operations a second.
    pub one_line_mops: f64,
    /// Prefetched loop, two lines an operation.
    pub two_lines_mops: f64,
    /// Plain loop, one line an operation.
    pub plain_one_line_mops: f64,
    /// Plain loop, two lines an operation.
    pub plain_two_lines_mops: f64,
    /// Sequential read.
    pub sequential_gb_s: f64,
    /// Huge pages that the system really gave, in MiB, where it tells.
    pub huge_mib: Option<u64>,
}

#[repr(align(64))]
#[derive(Clone, Copy)]
struct Position(u32, u32);

/// A table in a mapping, seen as 64-byte lines by index.
struct Lines {
    map: MmapMut,
    skip: usize,
    count: usize,
}

impl Lines {
    fn new(mib: usize, huge: bool) -> std::io::Result<Lines> {
        const PAGE: usize = 2 << 20;
        let bytes = mib << 20;
        let mut map = MmapMut::map_anon(bytes + PAGE)?;
        #[cfg(target_os = "linux")]
        map.advise(if huge { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage })?;
        #[cfg(not(target_os = "linux"))]
        let _ = huge;
        let skip = map.as_ptr().align_offset(PAGE);
        map[skip..skip + bytes].fill(1);
        Ok(Lines { map, skip, count: bytes / 64 })
    }

    fn table(&self) -> &[[u8; 64]] {
        self.map[self.skip..self.skip + self.count * 64].as_chunks::<64>().0
    }
}

/// MiB of huge pages behind the process's anonymous memory.
fn huge_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = text.lines().find(|l| l.starts_with("AnonHugePages:"))?;
    Some(line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

#[inline(always)]
fn word(line: &[u8; 64], position: Position) -> u64 {
    let at = (position.1 as usize % 8) * 8;
    u64::from_le_bytes(line[at..at + 8].try_into().expect("8 bytes"))
}

/// Where the next line is: one multiply and a shift, as in a filter that has its hash.
#[inline(always)]
fn position(state: &mut u64, count: usize) -> Position {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut x = *state;
    x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^= x >> 32;
    Position(((u128::from(x) * count as u128) >> 64) as u32, x as u32)
}

fn prefetched<const LINES: usize>(table: &[[u8; 64]], operations: usize, seed: u64) -> u64 {
    let mut state = seed;
    let mut sum = 0u64;
    let mut ahead = [[Position(0, 0); LINES]; BATCH];
    for _ in 0..operations / BATCH {
        for slot in &mut ahead {
            for place in slot.iter_mut() {
                *place = position(&mut state, table.len());
                prefetch(&table[place.0 as usize]);
            }
        }
        for slot in &ahead {
            for place in slot {
                sum = sum.wrapping_add(word(&table[place.0 as usize], *place));
            }
        }
    }
    sum
}

fn plain<const LINES: usize>(table: &[[u8; 64]], operations: usize, seed: u64) -> u64 {
    let mut state = seed;
    let mut sum = 0u64;
    for _ in 0..operations {
        for _ in 0..LINES {
            let place = position(&mut state, table.len());
            sum = sum.wrapping_add(word(&table[place.0 as usize], place));
        }
    }
    sum
}

fn sequential(table: &[[u8; 64]]) -> u64 {
    table.as_flattened().as_chunks::<8>().0.iter().fold(0, |sum, w| sum ^ u64::from_le_bytes(*w))
}

/// Reads so many operations' lines at random places, which the seed decides.
type Loop = fn(&[[u8; 64]], usize, u64) -> u64;

/// A table of lines that is kept, so that a run can ask for the limit between its own measurements.
pub struct Probe {
    lines: Lines,
    pages: &'static str,
    operations: usize,
    dice: Dice,
    speeds: [Vec<f64>; 5],
}

impl Probe {
    /// Maps and touches the table.
    pub fn new(mib: usize, huge: bool, operations: usize) -> std::io::Result<Probe> {
        let pages = if huge { "huge" } else { "4 KiB" };
        Ok(Probe { lines: Lines::new(mib, huge)?, pages, operations, dice: Dice::new(1), speeds: Default::default() })
    }

    /// Reads so many random pairs of lines, prefetched; may run in several threads.
    pub(crate) fn two_lines(&self, operations: usize, seed: u64) -> u64 {
        prefetched::<2>(black_box(self.lines.table()), operations, seed << 32)
    }

    /// Measures everything once.
    pub fn measure(&mut self) {
        let (n, table) = (self.operations, self.lines.table());
        let loops: [Loop; 4] = [prefetched::<1>, prefetched::<2>, plain::<1>, plain::<2>];
        for (run, speeds) in loops.iter().zip(&mut self.speeds) {
            let seed = self.dice.roll();
            let (_, seconds) = timed(|| run(black_box(table), n, seed));
            speeds.push(mops(n / BATCH * BATCH, seconds));
        }
        let (_, seconds) = timed(|| sequential(black_box(table)));
        self.speeds[4].push(self.lines.count as f64 * 64.0 / seconds / 1e9);
    }

    /// Medians of what was measured.
    pub fn result(&self) -> Limit {
        let of = |i: usize| row::round(median(&self.speeds[i]));
        Limit {
            mib: self.lines.count >> 14,
            pages: self.pages,
            one_line_mops: of(0),
            two_lines_mops: of(1),
            plain_one_line_mops: of(2),
            plain_two_lines_mops: of(3),
            sequential_gb_s: of(4),
            huge_mib: huge_mib(),
        }
    }
}

/// Measures the limits of the given sizes, small and huge pages in turn.
pub fn limits(mib: &[usize], repeats: usize, operations: usize) -> std::io::Result<Vec<Limit>> {
    let mut results = Vec::new();
    for &size in mib {
        for huge in [false, true] {
            let mut probe = Probe::new(size, huge, operations)?;
            for _ in 0..repeats {
                probe.measure();
            }
            results.push(probe.result());
        }
    }
    Ok(results)
}

/// Prints limits as a table.
pub fn print(limits: &[Limit]) {
    println!("random 64-byte lines, million operations a second (prefetched in batches of {BATCH} | plain loop)");
    println!("{:>8} {:>7} {:>9} {:>9} {:>9} {:>9} {:>10}", "MiB", "pages", "one", "two", "one", "two", "seq GB/s");
    for l in limits {
        println!(
            "{:>8} {:>7} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>10.1}",
            l.mib,
            l.pages,
            l.one_line_mops,
            l.two_lines_mops,
            l.plain_one_line_mops,
            l.plain_two_lines_mops,
            l.sequential_gb_s
        );
    }
}

/// The command.
pub fn run(args: &LimitArgs) -> Result<(), Box<dyn std::error::Error>> {
    let (repeats, operations) = if args.quick { (3, 1 << 20) } else { (9, 1 << 23) };
    let found = limits(&args.mib, repeats, operations)?;
    print(&found);
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
        row::write(&out.join("limit.csv"), &found)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_small_limit_is_found() {
        let found = super::limits(&[2], 1, 1 << 12).unwrap();
        assert!(found.len() == 2 && found.iter().all(|l| l.one_line_mops > 0.0 && l.mib == 2));
    }
}
