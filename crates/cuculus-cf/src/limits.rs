//! What a server allows. Checked on create, growth, load and restore; a replica and a log that is replayed obey instead.

/// Upper bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of one filter.
    pub bytes: u64,
    /// How many times its capacity a growing filter may hold; 0 for no bound.
    pub growth: u64,
}

impl Limits {
    /// No bound at all: what a replica and a replayed log use.
    pub const NONE: Limits = Limits { bytes: u64::MAX, growth: 0 };
}
