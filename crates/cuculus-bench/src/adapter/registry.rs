//! Which filters there are. A new one is two lines here and a file beside this.

use super::{Built, Plan, bloom, counting_bloom, cuckoos, cuculus, dleft, fuse, quotient};

/// A filter of the comparison.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Name in the CSV files and on the command line.
    pub name: &'static str,
    /// Name in pictures.
    pub title: &'static str,
    /// Whether it is this project's.
    pub ours: bool,
    /// Whether items can be removed.
    pub deletes: bool,
    /// Whether all items must be known at once.
    pub fixed: bool,
    /// Builds it.
    pub build: fn(&Plan) -> Built,
}

const fn kind(name: &'static str, title: &'static str, build: fn(&Plan) -> Built) -> Kind {
    Kind { name, title, ours: false, deletes: true, fixed: false, build }
}

const fn ours(name: &'static str, title: &'static str, build: fn(&Plan) -> Built) -> Kind {
    Kind { ours: true, ..kind(name, title, build) }
}

const fn no_delete(kind: Kind) -> Kind {
    Kind { deletes: false, ..kind }
}

const KINDS: &[Kind] = &[
    ours("cuculus-packed", "cuculus packed", cuculus::packed),
    ours("cuculus-semi-sorted", "cuculus semi-sorted", cuculus::semi_sorted),
    ours("cuculus-compact", "cuculus compact", cuculus::compact),
    no_delete(kind("fastbloom", "Bloom (fastbloom)", bloom::fastbloom)),
    no_delete(kind("sbbf", "blocked Bloom (sbbf)", bloom::sbbf)),
    kind("counting-bloom", "counting Bloom", counting_bloom::build),
    kind("dleft-counting-bloom", "d-left counting Bloom", dleft::build),
    kind("qfilter", "quotient (qfilter)", quotient::build),
    Kind { fixed: true, ..no_delete(kind("binary-fuse", "binary fuse (xorf), static", fuse::build)) },
    kind("cuckoofilter", "cuckoofilter", cuckoos::cuckoofilter),
    kind("scalable-cuckoo", "scalable_cuckoo_filter", cuckoos::scalable),
    kind("autoscale-cuckoo", "autoscale_cuckoo_filter", cuckoos::autoscale),
    kind("atomic-cuckoo", "atomic-cuckoo-filter", cuckoos::atomic),
];

/// Every filter, this project's first.
pub fn all() -> &'static [Kind] {
    KINDS
}

/// The filter of that name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|k| k.name == name)
}

/// The filters named in a comma-separated list; `all`, `ours` and `deletable` name groups.
pub fn select(list: &str) -> Result<Vec<&'static Kind>, String> {
    let mut chosen: Vec<&'static Kind> = Vec::new();
    for name in list.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        let group: Vec<&'static Kind> = match name {
            "all" => KINDS.iter().collect(),
            "ours" => KINDS.iter().filter(|k| k.ours).collect(),
            "deletable" => KINDS.iter().filter(|k| k.deletes).collect(),
            _ => KINDS.iter().filter(|k| k.name == name).collect(),
        };
        if group.is_empty() {
            let names: Vec<_> = KINDS.iter().map(|k| k.name).collect();
            return Err(format!("no filter is called {name:?}; there are {}", names.join(", ")));
        }
        for kind in group {
            if !chosen.iter().any(|c| c.name == kind.name) {
                chosen.push(kind);
            }
        }
    }
    if chosen.is_empty() { Err("no filter chosen".into()) } else { Ok(chosen) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_groups() {
        assert_eq!(select("all").unwrap().len(), KINDS.len());
        assert_eq!(select("sbbf, fastbloom,sbbf").unwrap().len(), 2);
        assert!(select("deletable").unwrap().iter().all(|k| k.deletes));
        assert!(select("nonsense").is_err() && select("").is_err());
    }
}
