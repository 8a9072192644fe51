//! Contract 10: hostile parameters get their error in milliseconds and without the memory they claim. A binary of its
//! own, because its allocator counts. BR-042.
#![cfg(feature = "std")]

use cuculus::{BuildError, Builder, CuckooFilter, Geometry, Layout, Placement, Search};
use std::alloc::{GlobalAlloc, Layout as Block, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The largest sum of bytes that were allocated at once, and what is allocated now.
struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[global_allocator]
static ALLOCATOR: Counting = Counting { now: AtomicUsize::new(0), most: AtomicUsize::new(0) };

// SAFETY: everything is left to the system's allocator; only sizes are added up.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        let now = self.now.fetch_add(block.size(), Ordering::SeqCst) + block.size();
        self.most.fetch_max(now, Ordering::SeqCst);
        // SAFETY: the caller keeps the contract of `alloc`, which is handed on.
        unsafe { System.alloc(block) }
    }

    unsafe fn dealloc(&self, start: *mut u8, block: Block) {
        self.now.fetch_sub(block.size(), Ordering::SeqCst);
        // SAFETY: `start` came from `alloc` above, so from the system's allocator.
        unsafe { System.dealloc(start, block) }
    }
}

/// One test at a time: the counts are those of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs, and returns how many bytes more than before were allocated at the worst moment. Takes the fastest of three
/// runs for the time, which other programs disturb.
fn cost<R>(run: impl Fn() -> R) -> (R, usize, Duration) {
    let before = ALLOCATOR.now.load(Ordering::SeqCst);
    ALLOCATOR.most.store(before, Ordering::SeqCst);
    let timed = || {
        let started = Instant::now();
        (run(), started.elapsed())
    };
    let (result, mut time) = timed();
    for _ in 0..2 {
        time = time.min(timed().1);
    }
    (result, ALLOCATOR.most.load(Ordering::SeqCst) - before, time)
}

const NUMBERS: [u64; 14] = [
    0,
    1,
    2,
    255,
    256,
    65_535,
    65_536,
    1 << 31,
    u32::MAX as u64,
    1 << 32,
    (1 << 48) + 1,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

fn new() -> Builder {
    CuckooFilter::builder()
}

/// Every argument vector, planned: no panic, no memory, no time; what is planned is consistent.
#[test]
fn contract_10_hostile_parameters_cost_nothing() {
    let _alone = ALONE.lock();
    let mut builders = Vec::new();
    let rates = [f64::NAN, f64::INFINITY, -1.0, 0.0, f64::MIN_POSITIVE, 1e-300, 1e-9, 0.5, 0.999_999, 1.0, 1e300];
    for number in NUMBERS {
        for rate in rates {
            builders.push(new().items(number).false_positive_rate(rate));
            builders.push(new().memory(number).false_positive_rate(rate));
        }
        for other in NUMBERS {
            builders.push(new().items(number).memory(other));
        }
        let small = number as u32;
        for placement in [Placement::AnySize, Placement::Xor] {
            for geometry in [
                Geometry::packed(12, 4, number),
                Geometry::packed(small, 4, 1 << 44),
                Geometry::packed(12, small, 1 << 44),
                Geometry::semi_sorted(12, number),
                Geometry::semi_sorted(small, 1 << 44),
                Geometry::compact(9, 54, 26, number),
                Geometry::compact(small, 54, 26, 1 << 44),
                Geometry::compact(9, small, 0, 1 << 44),
                Geometry::compact(9, 54, small, 1 << 44),
                Geometry::compact(small, small, small, number),
            ] {
                builders.push(new().geometry(geometry.with_placement(placement)));
            }
        }
    }
    let layouts = [None, Some(Layout::Packed), Some(Layout::SemiSorted), Some(Layout::Compact)];
    let mut refused = 0;
    for builder in &builders {
        for layout in layouts {
            let builder = layout.map_or(builder.clone(), |layout| builder.clone().layout(layout));
            let (plan, bytes, time) = cost(|| builder.plan());
            assert!(bytes < 16 << 10, "{bytes} bytes for {builder:?}");
            assert!(time < Duration::from_millis(50), "{time:?} for {builder:?}");
            match plan {
                Ok(plan) => plan.geometry.validate().unwrap(),
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    assert!(refused > 500 && refused < builders.len() * 4);
    build_of_too_much();
    large_tables_are_zeroed_lazily();
}

/// Building what no address space holds: the same, and the error names the bytes.
fn build_of_too_much() {
    for builder in [
        new().items(1 << 48).false_positive_rate(1e-6),
        new().geometry(Geometry::packed(32, 8, 1 << 44)),
        new().geometry(Geometry::packed(32, 8, 1 << 44)).search(Search::RandomWalk { kicks: Search::MAX_BUDGET }),
    ] {
        let (result, bytes, time) = cost(|| builder.build().map(drop));
        assert!(matches!(result, Err(BuildError::Allocation { .. })), "{result:?}");
        assert!(bytes < 16 << 10 && time < Duration::from_millis(50), "{bytes} bytes, {time:?}");
    }
}

/// A search budget claims its working memory only when it is needed, and no more than the table has cells.
fn large_tables_are_zeroed_lazily() {
    let search = Search::BreadthFirst { positions: Search::MAX_BUDGET };
    let (_, bytes, _) = cost(|| {
        let mut filter = new().geometry(Geometry::packed(12, 4, 16)).search(search).build().unwrap();
        (0..200u64).for_each(|key| _ = filter.insert(&key));
    });
    assert!(bytes < 64 << 10, "{bytes} bytes for a filter of 64 slots");
}

/// BR-042: under a limit of 1 GiB, 10^11, 10^15 and 2^63 items are errors, and the process goes on.
#[cfg(target_os = "linux")]
#[test]
fn br_042_under_a_memory_limit() {
    const INSIDE: &str = "CUCULUS_INSIDE_LIMIT";
    let _alone = ALONE.lock();
    if std::env::var_os(INSIDE).is_none() {
        let program = std::env::current_exe().unwrap();
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", "ulimit -v 1048576 && exec \"$0\" --exact br_042_under_a_memory_limit"]).arg(program);
        let output = limited.env(INSIDE, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
        return;
    }
    for items in [100_000_000_000, 1_000_000_000_000_000, 1 << 63] {
        for layout in [Layout::Packed, Layout::SemiSorted, Layout::Compact] {
            let builder = new().items(items).false_positive_rate(0.01).layout(layout);
            match builder.build() {
                Err(BuildError::Allocation { bytes }) => assert_eq!(bytes, builder.plan().unwrap().table_bytes()),
                Err(BuildError::OutOfRange { parameter: "items", .. }) => assert!(items > 1 << 48),
                other => panic!("{other:?}"),
            }
            let mut small = CuckooFilter::new(100, 0.01).unwrap();
            small.insert("alive").unwrap();
        }
    }
}
