//! `cuculus merge`: one filter that holds what several held.

use super::storing::Summary;
use crate::exit::{Exit, Failure, Outcome};
use crate::filter::Filter;
use crate::output::{Style, counted};
use crate::secret::KeyFile;
use crate::store::{self, Lookup, with_lookup};
use crate::target::{Target, TargetArgs};
use cuculus::{CuckooFilter, FilterKind, Geometry, GrowingFilter, Layout, MergeError, sizing};
use std::path::{Path, PathBuf};

/// Merge filter files into one
///
/// The filters must have the same shape, hash and seed, as filters built with the same --items, --fpr, --layout and --seed
/// have. Where the first one has not enough room for all, a larger one is written if the layout allows it: packed and
/// semi-sorted tables widen their buckets up to eight slots. Otherwise merge says which --items would have been needed.
///
/// A key that several of them hold is stored once for each. The false-positive rates add up.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus merge -o week.cuculus monday.cuculus tuesday.cuculus")]
pub(crate) struct Args {
    /// The filter file to write; it may be one of the others
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Filter files, at least two
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    key_file: KeyFile,

    /// Store the table compressed: smaller files where few of the slots are used, but slower to open
    #[arg(long)]
    compress: bool,

    #[command(flatten)]
    target: TargetArgs,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    let target = Target::new(&args.output, &args.target)?;
    let key = args.key_file.read()?;
    // The output may be an input too: nobody else may change it between the reading and the writing.
    let lock = if args.output.exists() { target.lock()? } else { None };
    let [first, others @ ..] = args.files.as_slice() else { unreachable!("clap asks for two files") };
    if FilterKind::of_file(first)? == FilterKind::Growing {
        return growing(args, &target, first, others, key.as_ref(), lock);
    }
    let base = CuckooFilter::load(first, key.as_ref())?;
    let others: Vec<(&Path, Lookup)> = others
        .iter()
        .map(|path| {
            // A damaged table would go on living in the merged one.
            if FilterKind::of_file(path)? == FilterKind::Fixed {
                cuculus::verify_file(path)?;
            }
            Ok((path.as_path(), store::open(path, key.as_ref())?))
        })
        .collect::<Result<_, Failure>>()?;
    let total = others.iter().fold(base.len(), |total, (_, other)| total + with_lookup!(other, other => other.len()));

    let mut merged = base.clone();
    let mut full = None;
    for (path, other) in &others {
        let taken = match other {
            Lookup::Mapped(other) => merged.merge(other),
            Lookup::Loaded(other) => merged.merge(other),
            Lookup::Growing(_) => Err(other_kind("growing")),
            Lookup::Window(_) => Err(other_kind("a window whose items age")),
        };
        match taken {
            Ok(()) => {}
            Err(reason @ MergeError::Mismatch { .. }) => return Err(failure(first, path, reason, String::new())),
            // Go on: one of the others may be of another kind, which no larger table mends.
            Err(reason) => full = full.or(Some((path, reason))),
        }
    }
    let larger = full.is_some();
    if let Some((path, reason)) = full {
        merged = widened(&base, &others, total).ok_or_else(|| {
            let advice = advice(&args.output, args.files.len(), total, &reason);
            failure(first, path, reason, advice)
        })?;
    }
    let slots = merged.geometry().slots_per_bucket;
    let merged = Filter::from(merged);
    target.publish(&merged, args.compress, lock)?;
    let summary = Summary { stored: Some(total), ..Summary::new("merge", &args.output, &merged) };
    let note = match larger {
        true => format!(" into a larger table, with buckets of {slots}"),
        false => String::new(),
    };
    summary.print(args.json, &format!("merged {} of {} filters{note}", counted(total, "key"), args.files.len()))?;
    if larger && !args.json {
        let style = Style::stderr();
        eprintln!("{} a larger table looks at more slots, so its rate is higher", style.bold("note:"));
    }
    Ok(Exit::Done)
}

fn other_kind(right: &str) -> MergeError {
    MergeError::Mismatch { what: "kind", left: "fixed size".to_owned(), right: right.to_owned() }
}

/// Growing filters take each other in and grow as they need to.
fn growing(
    args: &Args,
    target: &Target<'_>,
    first: &Path,
    others: &[PathBuf],
    key: Option<&[u8; 16]>,
    lock: Option<store::Lock>,
) -> Outcome {
    let mut merged = GrowingFilter::load(first, key)?;
    for path in others {
        let other = GrowingFilter::load(path, key)?;
        merged.merge(&other).map_err(|reason| failure(first, path, reason, String::new()))?;
    }
    let total = merged.len();
    let merged = Filter::from(merged);
    target.publish(&merged, args.compress, lock)?;
    let summary = Summary { stored: Some(total), ..Summary::new("merge", &args.output, &merged) };
    summary.print(args.json, &format!("merged {} of {} filters", counted(total, "key"), args.files.len()))?;
    Ok(Exit::Done)
}

fn failure(left: &Path, right: &Path, reason: MergeError, advice: String) -> Failure {
    Failure::Merge { left: left.to_owned(), right: right.to_owned(), reason: Box::new(reason), advice }
}

/// What would have done. Keys that several filters hold come in as copies, which share their slots: room for a third more
/// is enough for them, as for `build --copies`.
fn advice(output: &Path, files: usize, total: u64, reason: &MergeError) -> String {
    let (items, because) = match reason {
        MergeError::NoRoom(_) => {
            (total + total.div_ceil(3), "; several of them hold the same keys, whose copies share the same few slots")
        }
        _ => (total, ""),
    };
    format!(
        "{because}; all {files} filters would have needed --items {items} or more: build them again with it, or build one \
         from all keys, in which each is stored once: cuculus build -o {} --items {total} ...",
        output.display()
    )
}

/// All of them in a table of the same buckets with more slots each, if there is such a table. They are of one shape and hash.
///
/// The number of buckets stays, so bucket and fingerprint of every item stay too, and are all that is needed.
fn widened(base: &CuckooFilter, others: &[(&Path, Lookup)], total: u64) -> Option<CuckooFilter> {
    let old = *base.geometry();
    if !matches!(old.layout, Layout::Packed | Layout::SemiSorted) {
        return None;
    }
    let wider = [2, 4, 8].into_iter().filter(|&slots| slots > old.slots_per_bucket);
    let geometry = wider
        .map(|slots| Geometry::packed(old.fingerprint_bits, slots, old.buckets).with_placement(old.placement))
        .find(|geometry| sizing::room(geometry) >= total)?;
    let mut merged =
        CuckooFilter::builder().geometry(geometry).hash(base.hash_kind()).search(base.search()).build().ok()?;
    pour(base, &mut merged)?;
    for (_, other) in others {
        match other {
            Lookup::Mapped(other) => pour(other, &mut merged)?,
            Lookup::Loaded(other) => pour(other, &mut merged)?,
            Lookup::Growing(_) | Lookup::Window(_) => return None,
        }
    }
    Some(merged)
}

/// Stores every item of a filter in another one with as many buckets.
fn pour<S: AsRef<[u8]>>(from: &CuckooFilter<S>, into: &mut CuckooFilter) -> Option<()> {
    let geometry = *from.geometry();
    for (bucket, fingerprint) in from.iter() {
        let hash = hash_for(bucket, fingerprint.get(), &geometry)?;
        into.insert_hash(hash).ok()?;
    }
    Some(())
}

/// A hash that lies in this bucket with this fingerprint: the file format fixes bucket = high(hash * buckets) and
/// fingerprint = 1 + high(low(hash * buckets) * (2^f - 1)), high and low being halves of 128 bits.
fn hash_for(bucket: u64, fingerprint: u32, geometry: &Geometry) -> Option<u64> {
    let (buckets, fingerprints) = (u128::from(geometry.buckets), (1u128 << geometry.fingerprint_bits) - 1);
    // The middle of the fingerprint's stretch, so that rounding down to a multiple of the buckets stays inside.
    let low = ((2 * (u128::from(fingerprint) - 1) + 1) << 63) / fingerprints;
    let hash = ((u128::from(bucket) << 64) | low) / buckets;
    let product = hash * buckets;
    let lands = product >> 64 == u128::from(bucket)
        && 1 + (((product & u128::from(u64::MAX)) * fingerprints) >> 64) == u128::from(fingerprint);
    lands.then_some(hash as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_for_every_bucket_and_fingerprint() {
        for (bits, buckets) in [(4, 2), (8, 6), (12, 1_000), (16, 1 << 20), (32, 10_006), (32, 1 << 30)] {
            let geometry = Geometry::packed(bits, 4, buckets);
            let most = ((1u64 << bits) - 1) as u32;
            for bucket in [0, 1, buckets / 2, buckets - 1] {
                for fingerprint in [1, 2, most / 2, most - 1, most] {
                    assert!(
                        hash_for(bucket, fingerprint, &geometry).is_some(),
                        "{bits} {buckets} {bucket} {fingerprint}"
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_is_lost_by_widening() {
        for layout in [Layout::Packed, Layout::SemiSorted] {
            let fill = |from: u64| {
                let mut filter =
                    CuckooFilter::builder().items(5_000).false_positive_rate(0.01).layout(layout).build().unwrap();
                (from..from + 5_000).for_each(|key| filter.insert(&key).unwrap());
                filter
            };
            let (a, b) = (fill(0), fill(5_000));
            let merged = widened(&a, &[(Path::new("b"), Lookup::Loaded(b))], 10_000).unwrap();
            assert_eq!(merged.len(), 10_000);
            assert!((0..10_000u64).all(|key| merged.contains(&key)));
            let false_positives = (10_000..60_000u64).filter(|key| merged.contains(key)).count();
            assert!(false_positives < 1_100, "twice a hundredth: {false_positives} of 50000");
        }
    }
}
