//! The protocol of `SyncFilter` under a model checker: every order of steps with up to `LOOM_MAX_PREEMPTIONS` (3 if not
//! said) forced changes of thread, and every older value that a relaxed read may still see.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p cuculus --test loom`
#![cfg(loom)]

use cuculus::{CuckooFilter, Geometry, SyncFilter};
use loom::sync::Arc;
use loom::thread::{self, JoinHandle};

/// Buckets of one slot, in three cache lines: three locks, and each item in one or two of them.
fn whole_words() -> CuckooFilter {
    CuckooFilter::builder().geometry(Geometry::packed(32, 1, 34)).build().unwrap()
}

/// Slots of 27 bits: two in five lie across a border of words.
fn across_words() -> CuckooFilter {
    CuckooFilter::builder().geometry(Geometry::packed(27, 1, 34)).build().unwrap()
}

/// Lines of three slots of 31 bits, one class of odd size.
fn compact() -> CuckooFilter {
    CuckooFilter::builder().geometry(Geometry::compact(31, 3, 0, 4)).build().unwrap()
}

/// Where one copy of a key goes in an empty filter, and where the second.
fn places(empty: &CuckooFilter, key: u64) -> [u64; 2] {
    let mut filter = empty.clone();
    filter.insert(&key).unwrap();
    let first = filter.iter().next().unwrap().0;
    filter.insert(&key).unwrap();
    let others: Vec<u64> = filter.iter().map(|(bucket, _)| bucket).filter(|&bucket| bucket != first).collect();
    [first, others[0]]
}

/// A filter with an item that lies in the second of its two buckets, the first being free; a key that makes it move there;
/// and a key that then makes it move back, if the one before is gone.
struct Scene {
    filter: CuckooFilter,
    moved: u64,
    there: u64,
    back: u64,
}

fn scene(empty: CuckooFilter, crosses: impl Fn(u64) -> bool) -> Scene {
    let all: Vec<(u64, [u64; 2])> = (0..4_000).map(|key| (key, places(&empty, key))).collect();
    let find = |what: &dyn Fn(&[u64; 2]) -> bool| all.iter().find(|(_, places)| what(places)).copied();
    let (moved, [free, home]) = find(&|p| crosses(p[0]) && crosses(p[1])).unwrap();
    let third = |bucket: u64| bucket != free && bucket != home;
    // Each of these wants a bucket of the moving item, or one that a third item has taken.
    let (there, [_, taken]) = find(&|p| p[0] == home && third(p[1])).unwrap();
    let (back, [_, taken_too]) = find(&|p| p[0] == free && third(p[1]) && p[1] != taken).unwrap();
    let (block, _) = find(&|p| p[0] == taken && third(p[1]) && p[1] != taken_too).unwrap();
    let (block_too, _) = find(&|p| p[0] == taken_too && third(p[1]) && p[1] != taken).unwrap();
    let (stopgap, _) = find(&|p| p[0] == free && third(p[1])).unwrap();
    let mut filter = empty;
    for key in [block, block_too, stopgap, moved] {
        filter.insert(&key).unwrap();
    }
    assert!(filter.remove(&stopgap));
    let at = |filter: &CuckooFilter| filter.iter().map(|(bucket, _)| bucket).collect::<Vec<_>>();
    assert!(at(&filter).contains(&home) && !at(&filter).contains(&free));
    let mut after = filter.clone();
    after.insert(&there).unwrap();
    assert!(at(&after).contains(&free) && after.contains(&moved));
    assert!(after.remove(&there));
    after.insert(&back).unwrap();
    assert!(at(&after).contains(&home) && after.contains(&moved));
    Scene { filter, moved, there, back }
}

fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(3);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Everything that races runs in threads of its own: in the main thread the checker overlooks orders of lookups (a planted
/// bug showed it).
fn spawn(shared: &Arc<SyncFilter>, work: impl FnOnce(&SyncFilter) + 'static) -> JoinHandle<()> {
    let shared = shared.clone();
    thread::spawn(move || work(&shared))
}

fn finish(shared: Arc<SyncFilter>, threads: impl IntoIterator<Item = JoinHandle<()>>) -> CuckooFilter {
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let plain = Arc::try_unwrap(shared).unwrap().into_inner();
    assert_eq!(plain.validate(), Ok(()));
    plain
}

fn share(filter: &CuckooFilter) -> Arc<SyncFilter> {
    Arc::new(SyncFilter::try_from(filter.clone()).unwrap())
}

/// BR-068: an item that is moved while it is looked up.
fn a_moving_item_is_found(scene: Scene, and_back: bool) {
    let Scene { filter, moved, there, back } = scene;
    explore(move || {
        let shared = share(&filter);
        let writer = spawn(&shared, move |shared| {
            shared.insert(&there).unwrap();
            if and_back {
                assert!(shared.remove(&there));
                shared.insert(&back).unwrap();
            }
        });
        let reader = spawn(&shared, move |shared| assert!(shared.contains(&moved)));
        let plain = finish(shared, [reader, writer]);
        assert!(plain.contains(&moved) && plain.contains(if and_back { &back } else { &there }));
    });
}

#[test]
fn br_068_a_moving_item_is_found() {
    a_moving_item_is_found(scene(whole_words(), |_| true), false);
}

#[test]
fn br_068_an_item_that_moves_there_and_back_is_found() {
    a_moving_item_is_found(scene(whole_words(), |_| true), true);
}

#[test]
fn br_068_an_item_across_two_words_is_found() {
    let crosses = |bucket: u64| bucket * 27 / 64 != (bucket * 27 + 26) / 64;
    a_moving_item_is_found(scene(across_words(), crosses), false);
}

/// BR-068: a second copy comes to one place, then the first leaves the other.
fn an_item_wanders_by_copies(filter: CuckooFilter) {
    let key = 7u64;
    explore(move || {
        let mut filter = filter.clone();
        filter.insert(&key).unwrap();
        let shared = share(&filter);
        let writer = spawn(&shared, move |shared| {
            shared.insert(&key).unwrap();
            assert!(shared.remove(&key));
        });
        let reader = spawn(&shared, move |shared| assert!(shared.contains(&key)));
        assert!(finish(shared, [reader, writer]).contains(&key));
    });
}

#[test]
fn br_068_an_item_that_wanders_by_copies_is_found() {
    an_item_wanders_by_copies(whole_words());
    an_item_wanders_by_copies(compact());
}

/// Slots that share words, under different locks and under one.
#[test]
fn neighbours_do_not_overwrite_each_other() {
    let empty = across_words();
    let all: Vec<(u64, [u64; 2])> = (0..4_000).map(|key| (key, places(&empty, key))).collect();
    // Buckets 18 and 19 begin in two different cache lines and share the word between them.
    let one_in = |bucket: u64| all.iter().find(|(_, places)| places[0] == bucket).unwrap().0;
    for [first, second] in [[18, 19], [1, 2]].map(|pair| pair.map(one_in)) {
        let empty = empty.clone();
        explore(move || {
            let shared = share(&empty);
            let writers = [(first, true), (second, false)].map(|(key, twice)| {
                spawn(&shared, move |shared| {
                    shared.insert(&key).unwrap();
                    assert!(shared.contains(&key));
                    if twice {
                        assert!(shared.remove(&key) && !shared.contains(&key));
                        shared.insert(&key).unwrap();
                    }
                })
            });
            let plain = finish(shared, writers);
            assert!(plain.contains(&first) && plain.contains(&second) && plain.len() == 2);
        });
    }
}

#[test]
fn one_of_two_threads_stores_a_unique_item() {
    explore(|| {
        let shared = share(&whole_words());
        let store = |shared: &SyncFilter| shared.insert_unique(&7u64).unwrap();
        let other = spawn(&shared, move |shared| assert!(store(shared) || shared.contains(&7u64)));
        let one = spawn(&shared, move |shared| _ = store(shared));
        assert_eq!(finish(shared, [one, other]).len(), 1);
    });
}

/// BR-069.
#[test]
fn br_069_a_snapshot_is_of_one_moment() {
    let Scene { filter, moved, there, .. } = scene(whole_words(), |_| true);
    explore(move || {
        let shared = share(&filter);
        let writer = spawn(&shared, move |shared| {
            shared.insert(&there).unwrap();
            assert!(shared.remove(&moved));
        });
        let copier = spawn(&shared, move |shared| {
            let copy = shared.snapshot();
            assert_eq!(copy.validate(), Ok(()));
            assert!(copy.contains(&moved) || copy.contains(&there));
        });
        finish(shared, [copier, writer]);
    });
}
