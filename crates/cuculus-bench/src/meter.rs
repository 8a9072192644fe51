//! What the machine can tell: bytes allocated, instructions and misses where it counts them, and its description.

use std::alloc::System;
use std::fs;

use serde::Serialize;

/// The counting allocator.
pub type Counted = cap::Cap<System>;

/// Every heap byte of the process is counted here, for all filters alike.
#[global_allocator]
pub static HEAP: Counted = cap::Cap::new(System, usize::MAX);

/// Bytes on the heap now.
pub fn heap_bytes() -> u64 {
    HEAP.allocated() as u64
}

/// Watches how far the heap rises above its level at the start.
///
/// The allocator keeps one peak for the life of the process. So that a lower peak shows too, the watch first lifts the
/// level to that peak with memory that is reserved and never touched.
#[derive(Debug)]
pub struct PeakWatch {
    start: u64,
    _ballast: Vec<u8>,
}

impl PeakWatch {
    /// Starts watching.
    #[must_use]
    pub fn start() -> Self {
        let gap = HEAP.max_allocated().saturating_sub(HEAP.allocated());
        let _ballast = Vec::with_capacity(gap);
        PeakWatch { start: heap_bytes(), _ballast }
    }

    /// Bytes above the start that are allocated now.
    #[must_use]
    pub fn now(&self) -> u64 {
        heap_bytes().saturating_sub(self.start)
    }

    /// The most bytes above the start since then.
    #[must_use]
    pub fn peak(&self) -> u64 {
        (HEAP.max_allocated() as u64).saturating_sub(self.start)
    }
}

/// Memory of the process that is resident, as the system sees it.
pub fn resident_bytes() -> Option<u64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    Some(statm.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()? * 4096)
}

/// Instructions and last-level misses of a piece of work.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Counts {
    /// Instructions retired.
    pub instructions: u64,
    /// Core cycles.
    pub cycles: u64,
    /// Last-level cache misses.
    pub misses: u64,
}

/// Runs `work` under the hardware counters; `None` where the machine or its owner does not allow them.
#[cfg(target_os = "linux")]
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Option<Counts>) {
    use perf_event::events::Hardware;
    use perf_event::{Builder, Group};
    let open = || -> std::io::Result<_> {
        let mut group = Group::new()?;
        let instructions = group.add(&Builder::new(Hardware::INSTRUCTIONS))?;
        let cycles = group.add(&Builder::new(Hardware::CPU_CYCLES))?;
        let misses = group.add(&Builder::new(Hardware::CACHE_MISSES))?;
        group.enable()?;
        Ok((group, instructions, cycles, misses))
    };
    match open() {
        Err(_) => (work(), None),
        Ok((mut group, instructions, cycles, misses)) => {
            let result = work();
            let counts = group.disable().and_then(|()| group.read()).ok().map(|read| Counts {
                instructions: read[&instructions],
                cycles: read[&cycles],
                misses: read[&misses],
            });
            (result, counts)
        }
    }
}

/// Runs `work`; this system has no counters that the bench can read.
#[cfg(not(target_os = "linux"))]
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Option<Counts>) {
    (work(), None)
}

/// The machine, in the words of the report.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Processor name.
    pub cpu: String,
    /// Cores the process may use.
    pub cores: usize,
    /// Cache sizes as the system prints them.
    pub caches: String,
    /// Memory in GiB.
    pub memory_gib: f64,
    /// Kernel or system name.
    pub system: String,
    /// Setting of transparent huge pages.
    pub huge_pages: String,
    /// Instruction sets beyond the baseline that were compiled in.
    pub compiled_for: String,
    /// Whether hardware counters can be read.
    pub counters: bool,
    /// Day of the run, UTC.
    pub date: String,
}

fn first_line(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|s| s.lines().next().unwrap_or_default().trim().to_owned())
}

fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|l| l.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Days since 1970 as year, month, day (proleptic Gregorian).
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month, doy - (153 * mp + 2) / 5 + 1)
}

/// Today's date in UTC, `2026-01-31`.
pub fn today() -> String {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (y, m, d) = civil((seconds / 86_400) as i64);
    format!("{y:04}-{m:02}-{d:02}")
}

impl Machine {
    /// Looks at the machine.
    pub fn here() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = field(&info, "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let mhz = field(&info, "cpu MHz").map(|m| format!(", {m} MHz now")).unwrap_or_default();
        let model = field(&info, "model\t").map(|m| format!(", model {m}")).unwrap_or_default();
        let caches: Vec<String> = (0..4)
            .filter_map(|i| {
                let dir = format!("/sys/devices/system/cpu/cpu0/cache/index{i}");
                let level = first_line(&format!("{dir}/level"))?;
                let kind = first_line(&format!("{dir}/type"))?;
                (kind != "Instruction").then_some(())?;
                Some(format!("L{level} {}", first_line(&format!("{dir}/size"))?))
            })
            .collect();
        let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|m| field(&m, "MemTotal"));
        let kib: f64 = memory.and_then(|m| m.trim_end_matches(" kB").parse().ok()).unwrap_or(0.0);
        let features = [
            ("avx2", cfg!(target_feature = "avx2")),
            ("avx512f", cfg!(target_feature = "avx512f")),
            ("bmi2", cfg!(target_feature = "bmi2")),
            ("neon", cfg!(target_feature = "neon")),
        ];
        let on: Vec<&str> = features.iter().filter(|f| f.1).map(|f| f.0).collect();
        Machine {
            cpu: format!("{cpu}{model}{mhz}"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            caches: if caches.is_empty() { "unknown".into() } else { caches.join(", ") },
            memory_gib: (kib / 1_048_576.0 * 10.0).round() / 10.0,
            system: first_line("/proc/sys/kernel/osrelease")
                .map_or_else(|| std::env::consts::OS.to_owned(), |r| format!("Linux {r}")),
            huge_pages: first_line("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_else(|| "none".into()),
            compiled_for: format!(
                "{}{}",
                std::env::consts::ARCH,
                if on.is_empty() { " baseline".to_owned() } else { format!(" with {}", on.join(", ")) }
            ),
            counters: count(|| ()).1.is_some(),
            date: today(),
        }
    }
}

/// Binds the thread to a core: the one with that number, or the last that the process may use (the first often serves
/// interrupts). True if it worked.
pub fn pin(number: Option<usize>) -> bool {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let core = cores.iter().rev().find(|core| number.is_none_or(|n| core.id == n));
    core.is_some_and(|&core| core_affinity::set_for_current(core))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_peak_shows_after_a_large_one() {
        drop(vec![1u8; 64 << 20]);
        let watch = PeakWatch::start();
        let keep = vec![1u8; 1 << 20];
        drop(vec![1u8; 2 << 20]);
        // Other tests allocate too.
        assert!((3 << 20..32 << 20).contains(&watch.peak()), "{}", watch.peak());
        assert!(watch.now() >= keep.len() as u64);
    }

    #[test]
    fn dates_and_machine() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(civil(20_088), (2024, 12, 31));
        assert!(Machine::here().cores > 0);
    }
}
