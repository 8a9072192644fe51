//! Locks for writers and move counters for readers. A stripe is all cache lines of equal number modulo a power of two.

use super::primitives::{AtomicU32, AtomicU64, Ordering, SPINS, spin_loop, yield_now};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::array;

/// Their number. Two of eight threads that hold two each then meet in one call of a hundred; and what all lookups read,
/// eight bytes a stripe, stays in the first cache.
const STRIPES: usize = if cfg!(loom) { 4 } else { 1024 };

/// The move counters.
#[derive(Clone, Copy)]
pub(crate) struct Moves<'a> {
    counters: &'a [AtomicU64; STRIPES],
}

/// The stripe of a cache line.
#[inline(always)]
fn of(line: u64) -> usize {
    line as usize % STRIPES
}

impl<'a> Moves<'a> {
    /// The counter of items that lie in two cache lines, in whichever of them they are found. `pair` is the one line xor
    /// the other.
    #[inline(always)]
    pub(crate) fn of(self, pair: u64) -> &'a AtomicU64 {
        &self.counters[of(pair)]
    }
}

/// What the holder of a stripe's lock may change, beside the slots.
struct Stripe {
    held: AtomicU32,
    /// Items that may still be inserted under this lock without asking the common pool.
    spare: AtomicU32,
    /// Items inserted under this lock less items removed, modulo 2^64.
    net: AtomicU64,
}

pub(crate) struct Stripes {
    stripes: Box<[Stripe; STRIPES]>,
    /// For each stripe, how often a fingerprint was taken out of a slot, or is about to be. Apart from the locks, so that
    /// what inserts write is not what lookups read.
    moves: Box<[AtomicU64; STRIPES]>,
    /// Items that may still be inserted, less the spare ones of the stripes.
    pool: AtomicU64,
}

impl Stripes {
    /// For a table into which `free` more items may go.
    pub(crate) fn new(free: u64) -> Self {
        let stripe = || Stripe { held: AtomicU32::new(0), spare: AtomicU32::new(0), net: AtomicU64::new(0) };
        Stripes {
            stripes: Box::new(array::from_fn(|_| stripe())),
            moves: Box::new(array::from_fn(|_| AtomicU64::new(0))),
            pool: AtomicU64::new(free),
        }
    }

    /// What lookups read.
    #[inline(always)]
    pub(crate) fn moves(&self) -> Moves<'_> {
        Moves { counters: &self.moves }
    }

    /// Locks the stripe of a line.
    #[inline(always)]
    pub(crate) fn lock_one(&self, line: u64) -> Guard<'_> {
        self.acquire(of(line));
        Guard { stripes: self, held: Held::Two(of(line), of(line)) }
    }

    /// Locks the stripes of two lines.
    #[inline(always)]
    pub(crate) fn lock_two(&self, [first, second]: [u64; 2]) -> Guard<'_> {
        let (first, second) = (of(first), of(second));
        let (low, high) = (first.min(second), first.max(second));
        self.acquire(low);
        if high != low {
            self.acquire(high);
        }
        Guard { stripes: self, held: Held::Two(low, high) }
    }

    /// Locks the stripes of these lines. The vector is working memory.
    pub(crate) fn lock_lines<'a>(&'a self, lines: impl Iterator<Item = u64>, numbers: &'a mut Vec<usize>) -> Guard<'a> {
        numbers.clear();
        numbers.extend(lines.map(of));
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().for_each(|&number| self.acquire(number));
        Guard { stripes: self, held: Held::These(numbers) }
    }

    /// Locks everything, for as long as nothing is to change.
    pub(crate) fn lock_all(&self) -> Guard<'_> {
        (0..STRIPES).for_each(|number| self.acquire(number));
        Guard { stripes: self, held: Held::All }
    }

    /// Ascending order is what keeps two threads from waiting for each other.
    #[inline(always)]
    fn acquire(&self, number: usize) {
        let held = &self.stripes[number].held;
        if held.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            wait_for(held);
        }
    }

    #[inline(always)]
    fn release(&self, number: usize) {
        self.stripes[number].held.store(0, Ordering::Release);
    }

    /// Items inserted less items removed since the beginning, modulo 2^64. Exact under [`lock_all`](Self::lock_all); else
    /// calls that run at the same time may or may not be counted.
    pub(crate) fn net(&self) -> u64 {
        self.stripes.iter().fold(0, |sum, stripe| sum.wrapping_add(stripe.net.load(Ordering::Relaxed)))
    }
}

#[cold]
#[inline(never)]
fn wait_for(held: &AtomicU32) {
    let mut spins = 0;
    loop {
        // The holder may have lost its core: then spinning is not what it waits for.
        if spins < SPINS {
            spins += 1;
            spin_loop();
        } else {
            yield_now();
        }
        if held.load(Ordering::Relaxed) == 0
            && held.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
        {
            return;
        }
    }
}

enum Held<'a> {
    Two(usize, usize),
    These(&'a [usize]),
    All,
}

/// The right to change the slots of the stripes that it holds.
pub(crate) struct Guard<'a> {
    stripes: &'a Stripes,
    held: Held<'a>,
}

impl Guard<'_> {
    /// The stripe whose counts this guard keeps.
    #[inline(always)]
    fn first(&self) -> &Stripe {
        let number = match &self.held {
            Held::Two(low, _) => *low,
            Held::These(numbers) => numbers[0],
            Held::All => 0,
        };
        &self.stripes.stripes[number]
    }

    #[cfg(debug_assertions)]
    fn holds(&self, number: usize) -> bool {
        match &self.held {
            Held::Two(low, high) => *low == number || *high == number,
            Held::These(numbers) => numbers.contains(&number),
            Held::All => true,
        }
    }

    /// Tells readers of items in these lines that one of them is about to leave a slot. Whoever then misses it in that slot
    /// also sees the new count.
    #[inline(always)]
    pub(crate) fn announce_move(&self, lines: [u64; 2]) {
        #[cfg(debug_assertions)]
        assert!(lines.iter().all(|&line| self.holds(of(line))));
        // Other pairs of lines, under other locks, have the same counter.
        self.stripes.moves().of(lines[0] ^ lines[1]).fetch_add(1, Ordering::Release);
    }

    /// Whether one more item may be inserted under this guard. If not, only [`lock_all`](Stripes::lock_all) can tell
    /// whether the capacity is reached or is spare elsewhere.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.first().spare.load(Ordering::Relaxed) > 0 || self.refill()
    }

    #[inline(never)]
    fn refill(&self) -> bool {
        if let Held::All = self.held {
            let idle = |stripe: &Stripe| u64::from(stripe.spare.load(Ordering::Relaxed));
            let idle: u64 = self.stripes.stripes.iter().map(idle).sum();
            self.stripes.stripes.iter().for_each(|stripe| stripe.spare.store(0, Ordering::Relaxed));
            self.stripes.pool.fetch_add(idle, Ordering::Relaxed);
        }
        let count = STRIPES as u64;
        let share = |pool: u64| (pool / (4 * count)).clamp(1, 64).min(pool);
        let take = |pool: u64| pool.checked_sub(share(pool)).filter(|_| pool > 0);
        match self.stripes.pool.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(pool) => {
                self.first().spare.store(share(pool) as u32, Ordering::Relaxed);
                true
            }
            Err(_) => false,
        }
    }

    /// Counts an insert; [`has_room`](Self::has_room) has said that there is room.
    #[inline(always)]
    pub(crate) fn count_insert(&self) {
        let stripe = self.first();
        stripe.spare.store(stripe.spare.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        stripe.net.store(stripe.net.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Counts a removal.
    #[inline(always)]
    pub(crate) fn count_remove(&self) {
        let stripe = self.first();
        stripe.net.store(stripe.net.load(Ordering::Relaxed).wrapping_sub(1), Ordering::Relaxed);
        let spare = stripe.spare.load(Ordering::Relaxed) + 1;
        let given_back = if spare > 128 { 64 } else { 0 };
        stripe.spare.store(spare - given_back, Ordering::Relaxed);
        if given_back > 0 {
            self.stripes.pool.fetch_add(given_back.into(), Ordering::Relaxed);
        }
    }

    /// Under [`lock_all`](Stripes::lock_all): all items are gone. `free` may be inserted, and [`net`](Stripes::net)
    /// becomes `net`.
    pub(crate) fn count_clear(&self, free: u64, net: u64) {
        for stripe in self.stripes.stripes.iter() {
            stripe.spare.store(0, Ordering::Relaxed);
            stripe.net.store(0, Ordering::Relaxed);
        }
        self.first().net.store(net, Ordering::Relaxed);
        self.stripes.pool.store(free, Ordering::Relaxed);
    }
}

impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        match &self.held {
            Held::Two(low, high) => {
                self.stripes.release(*low);
                if high != low {
                    self.stripes.release(*high);
                }
            }
            Held::These(numbers) => numbers.iter().for_each(|&number| self.stripes.release(number)),
            Held::All => (0..STRIPES).for_each(|number| self.stripes.release(number)),
        }
    }
}
