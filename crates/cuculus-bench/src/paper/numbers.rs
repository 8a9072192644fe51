//! The paper's own numbers.

/// One column of the paper's table of 192 MB filters.
pub(super) struct Column {
    pub filter: &'static str,
    pub items_million: f64,
    pub bits: f64,
    pub rate_percent: f64,
    pub build_mops: f64,
}

/// The table.
pub(super) const TABLE: [Column; 6] = [
    Column { filter: "cuculus-packed", items_million: 127.78, bits: 12.60, rate_percent: 0.19, build_mops: 5.00 },
    Column { filter: "cuculus-semi-sorted", items_million: 128.04, bits: 12.58, rate_percent: 0.09, build_mops: 3.13 },
    Column { filter: "fastbloom", items_million: 123.89, bits: 13.00, rate_percent: 0.19, build_mops: 3.91 },
    Column { filter: "sbbf", items_million: 123.89, bits: 13.00, rate_percent: 0.43, build_mops: 7.64 },
    Column { filter: "qfilter", items_million: 80.53, bits: 20.00, rate_percent: 0.18, build_mops: 1.95 },
    Column { filter: "dleft-counting-bloom", items_million: 103.82, bits: 15.51, rate_percent: 0.76, build_mops: 4.78 },
];

/// The authors' later run of the first two columns: million items, bits, rate in percent, M keys/s.
pub(super) const RERUN: [[f64; 4]; 2] = [[127.82, 12.60, 0.18, 5.86], [127.90, 12.59, 0.09, 4.10]];

/// Mean load at the first failure with 500 kicks: slots a bucket, power of buckets, and (bits, load).
#[allow(clippy::type_complexity)]
pub(super) const LOADS: [(u32, u32, &[(u32, f64)]); 5] = [
    (4, 15, &[(4, 0.951), (5, 0.962), (6, 0.963), (7, 0.964), (8, 0.964), (10, 0.963), (12, 0.965), (16, 0.964)]),
    (4, 20, &[(4, 0.942), (5, 0.953), (6, 0.953), (7, 0.959), (8, 0.959), (10, 0.960), (12, 0.956), (16, 0.957)]),
    (8, 20, &[(4, 0.977), (5, 0.983), (6, 0.985), (7, 0.985), (8, 0.985), (10, 0.985), (12, 0.987)]),
    (2, 20, &[(4, 0.407), (5, 0.522), (6, 0.862), (7, 0.864), (8, 0.866), (10, 0.866), (12, 0.865), (16, 0.867)]),
    (1, 20, &[(4, 0.058), (5, 0.080), (6, 0.145), (7, 0.190), (8, 0.330), (10, 0.450), (12, 0.494), (16, 0.501)]),
];

/// Load by bucket size that the paper states.
pub(super) const STATED_LOADS: [(u32, f64); 4] = [(1, 0.50), (2, 0.84), (4, 0.95), (8, 0.98)];
