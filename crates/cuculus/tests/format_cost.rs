//! BR-042, BR-061: what hostile bytes cost: under 1 MiB and a few milliseconds, whatever they claim.
//!
//! One test, so that nobody else allocates while it counts.
#![cfg(feature = "std")]

use cuculus::{CuckooFilter, FileInfo, FilterView, FormatError, Geometry, verify_bytes};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all of it is done by the system's allocator; the counters change nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above; the pointer came from `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Address space of the process, where the system says: tables are mapped past the allocator.
fn address_space() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Runs `attempt` and checks what it cost.
fn cheaply<T>(what: &str, attempt: impl FnOnce() -> T) -> T {
    let (before, space) = (LIVE.load(Ordering::Relaxed), address_space());
    PEAK.store(before, Ordering::Relaxed);
    let start = Instant::now();
    let result = attempt();
    let (time, used) = (start.elapsed(), PEAK.load(Ordering::Relaxed) - before);
    assert!(used < 1 << 20, "{what}: {used} bytes allocated");
    assert!(address_space() - space < 8 << 20, "{what}: {} bytes mapped", address_space() - space);
    // Milliseconds; the rest is for a busy machine.
    assert!(time < Duration::from_millis(250), "{what}: {time:?}");
    result
}

fn set(file: &mut [u8], at: usize, bytes: &[u8]) {
    file[at..at + bytes.len()].copy_from_slice(bytes);
}

fn seal(file: &mut [u8]) {
    let sum = twox_hash::XxHash3_64::oneshot(&file[..248]);
    set(file, 248, &sum.to_le_bytes());
}

/// A header that claims a table of 2^`log` buckets, right in every field and every checksum.
fn claim(geometry: Geometry, log: u32, compressed: bool) -> Vec<u8> {
    let small = CuckooFilter::builder().geometry(geometry).build().unwrap();
    let mut file = small.to_bytes();
    let mut huge = geometry;
    huge.buckets = 1 << log;
    set(&mut file, 32, &huge.buckets.to_le_bytes());
    set(&mut file, 40, &huge.slots().to_le_bytes());
    set(&mut file, 48, &huge.slots().to_le_bytes());
    set(&mut file, 96, &huge.table_bytes().to_le_bytes());
    let stored = if compressed { huge.table_bytes().div_ceil(1032) } else { huge.table_bytes() };
    set(&mut file, 104, &stored.to_le_bytes());
    set(&mut file, 88, &u32::from(compressed).to_le_bytes());
    seal(&mut file);
    file.truncate(256);
    file
}

fn refuse_all(what: &str, file: &[u8]) {
    let truncated = |error: FormatError| matches!(error, FormatError::Truncated { .. } | FormatError::TooLarge { .. });
    assert!(truncated(cheaply(what, || verify_bytes(file)).unwrap_err()), "{what}");
    assert!(truncated(cheaply(what, || FilterView::open(file, None)).unwrap_err()), "{what}");
    assert!(truncated(cheaply(what, || CuckooFilter::from_bytes(file, None)).unwrap_err()), "{what}");
}

#[test]
fn claims_cost_nothing() {
    // Twenty bytes; 2^40 slots follow from nothing in them, so they cannot even be asked for.
    let header = claim(Geometry::packed(16, 4, 2), 38, false);
    refuse_all("20 bytes", &header[..20]);
    let shapes = [Geometry::packed(32, 8, 2), Geometry::semi_sorted(32, 2), Geometry::compact(8, 64, 0, 2)];
    for geometry in shapes {
        for log in [20, 31, 32, 38, 44] {
            for compressed in [false, true] {
                let what = format!("{geometry:?}, 2^{log} buckets, compressed: {compressed}");
                let mut file = claim(geometry, log, compressed);
                assert!(cheaply(&what, || FileInfo::read(&file)).is_ok());
                refuse_all(&what, &file);
                file.resize(4096, 0);
                refuse_all(&what, &file);
            }
        }
    }
    stashes_that_are_not_there();
    streams_that_stop();
    streams_that_hold_too_little();
    #[cfg(unix)]
    pipes_that_end();
}

/// A compact header that claims the most stash entries.
fn stashes_that_are_not_there() {
    let mut file = claim(Geometry::compact(8, 64, 0, 2), 30, false);
    set(&mut file, 112, &(64u64 + (1 << 36) / 1024).to_le_bytes());
    seal(&mut file);
    refuse_all("stash", &file);
}

/// A compressed table of 4 GiB, of which the file has all the bytes that such a stream needs at least; but they are noise
/// after a good start.
fn streams_that_stop() {
    let mut file = claim(Geometry::compact(8, 64, 0, 2), 26, true);
    let stored = u64::from_le_bytes(file[104..112].try_into().unwrap());
    let start = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 100_000], 9);
    file.extend_from_slice(&start[..start.len() - 8]);
    file.resize(256 + stored as usize, 0xa5);
    // A wrong checksum shows before anything is unpacked; after that, the stream itself.
    let error = cheaply("stream", || verify_bytes(&file)).unwrap_err();
    assert!(matches!(error, FormatError::Checksum { part: "table", .. }), "{error:?}");
    let sum = twox_hash::XxHash3_64::oneshot(&file[256..]);
    set(&mut file, 120, &sum.to_le_bytes());
    seal(&mut file);
    let error = cheaply("stream", || CuckooFilter::from_bytes(&file, None)).unwrap_err();
    assert!(matches!(error, FormatError::Compression(_)), "{error:?}");
    let error = cheaply("stream", || verify_bytes(&file)).unwrap_err();
    assert!(matches!(error, FormatError::Compression(_)), "{error:?}");
}

/// A kilobyte's worth of stream for each megabyte of zeros, right in every checksum; but the header counts an item. It is
/// unpacked to the end before that shows, in bounded memory. An empty filter of this kind is a right one.
fn streams_that_hold_too_little() {
    for geometry in [Geometry::compact(8, 64, 0, 2), Geometry::packed(16, 8, 2), Geometry::semi_sorted(17, 2)] {
        let mut file = claim(geometry, 18, true);
        let table_bytes = u64::from_le_bytes(file[96..104].try_into().unwrap());
        let stream = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; table_bytes as usize], 9);
        file.extend_from_slice(&stream);
        set(&mut file, 104, &(stream.len() as u64).to_le_bytes());
        set(&mut file, 120, &twox_hash::XxHash3_64::oneshot(&stream).to_le_bytes());
        for items in [1u64, 0] {
            set(&mut file, 48, &items.to_le_bytes());
            seal(&mut file);
            let verified = cheaply("zeros", || verify_bytes(&file));
            let wrong = |error| matches!(error, FormatError::Contents(_));
            match items {
                0 => assert_eq!(verified.unwrap().table_bytes, table_bytes),
                _ => {
                    assert!(wrong(verified.unwrap_err()));
                    assert!(wrong(cheaply("zeros", || CuckooFilter::from_bytes(&file, None)).unwrap_err()));
                }
            }
        }
    }
}

/// The same through a pipe, of which nobody knows how long it is.
#[cfg(unix)]
fn pipes_that_end() {
    let pipe = std::env::temp_dir().join(format!("cuculus-cost-{}", std::process::id()));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for compressed in [false, true] {
        let mut file = claim(Geometry::compact(8, 64, 0, 2), 44, compressed);
        file.resize(50_000, 0);
        let error = std::thread::scope(|scope| {
            scope.spawn(|| _ = std::fs::write(&pipe, &file));
            // Threads map their stacks: let that be over.
            std::thread::sleep(Duration::from_millis(50));
            cheaply("pipe", || CuckooFilter::load(&pipe, None)).unwrap_err()
        });
        let format = error.format().unwrap();
        assert!(matches!(format, FormatError::Truncated { .. } | FormatError::Compression(_)), "{error}");
    }
    std::fs::remove_file(&pipe).unwrap();
}
