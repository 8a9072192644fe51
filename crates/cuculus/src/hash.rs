//! The hash of an item: one 64-bit value, from a published function that never changes under a file.

use crate::bits::{Eight, Word};
use crate::error::MergeError;
use core::fmt;
use core::hash::Hasher;

/// Which function hashes items, with its seed or key.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HashKind {
    /// XXH3-64 with a seed: fast, for keys that nobody chooses against you.
    Xxh3 {
        /// The seed; part of the file.
        seed: u64,
    },
    /// SipHash-1-3 with a secret 128-bit key, for keys that outsiders choose: whoever knows the hash can fill the few
    /// slots of one item, or make false positives at will. The key is not written to files, only a check of it.
    SipHash13 {
        /// The key.
        key: [u8; 16],
    },
}

impl Default for HashKind {
    fn default() -> Self {
        HashKind::Xxh3 { seed: 0 }
    }
}

impl fmt::Debug for ItemHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Debug for HashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HashKind::Xxh3 { seed } => f.debug_struct("Xxh3").field("seed", seed).finish(),
            HashKind::SipHash13 { .. } => f.debug_struct("SipHash13").finish_non_exhaustive(),
        }
    }
}

impl HashKind {
    /// The function itself, for hashing where no filter is at hand. All filters of equal kind hash alike.
    pub fn hasher(self) -> ItemHasher {
        ItemHasher::new(self)
    }
}

/// The hash function of a filter, ready to run: what the `_hash` methods take comes from here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ItemHasher {
    kind: HashKind,
    /// XXH3 of eight bytes: what the input is combined with, from the seed.
    flip: u64,
}

/// The text whose keyed hash shows whether a key is the one a file was made with.
const KEY_CHECK: &[u8] = b"cuculus key check";

impl ItemHasher {
    pub(crate) const fn new(kind: HashKind) -> Self {
        let seed = match kind {
            HashKind::Xxh3 { seed } => seed,
            HashKind::SipHash13 { .. } => 0,
        };
        ItemHasher { kind, flip: xxh3_flip(seed) }
    }

    pub(crate) const fn kind(&self) -> HashKind {
        self.kind
    }

    /// Fails, naming what differs, if this is another function than `other`.
    pub(crate) fn check_same(&self, other: &Self) -> Result<(), MergeError> {
        if self.kind == other.kind {
            return Ok(());
        }
        Err(match (self.kind, other.kind) {
            (HashKind::Xxh3 { seed: left }, HashKind::Xxh3 { seed: right }) => {
                MergeError::mismatch("seed", left, right)
            }
            (HashKind::SipHash13 { .. }, HashKind::SipHash13 { .. }) => {
                MergeError::mismatch("secret key (its check value)", self.key_check(), other.key_check())
            }
            (left, right) => MergeError::mismatch("hash", left, right),
        })
    }

    /// A value that tells one key from another without giving the key away; 0 for an unkeyed hash.
    pub(crate) fn key_check(&self) -> u64 {
        match self.kind {
            HashKind::Xxh3 { .. } => 0,
            HashKind::SipHash13 { .. } => self.hash_bytes(KEY_CHECK),
        }
    }

    /// The hash of a key: that of its bytes.
    #[inline]
    pub fn hash<K: crate::Key + ?Sized>(&self, key: &K) -> u64 {
        key.hash_with(self)
    }

    /// The hash of a byte string.
    #[inline]
    pub fn hash_bytes(&self, bytes: &[u8]) -> u64 {
        match &self.kind {
            HashKind::Xxh3 { seed } => twox_hash::XxHash3_64::oneshot_with_seed(*seed, bytes),
            HashKind::SipHash13 { key } => {
                let mut hasher = siphasher::sip::SipHasher13::new_with_key(key);
                hasher.write(bytes);
                hasher.finish()
            }
        }
    }

    /// [`hash_bytes`](Self::hash_bytes) of the eight little-endian bytes of `word`, without the call.
    #[inline(always)]
    pub fn hash_u64(&self, word: u64) -> u64 {
        match &self.kind {
            HashKind::Xxh3 { .. } => xxh3_word(word, self.flip),
            HashKind::SipHash13 { .. } => self.keyed_u64(word),
        }
    }

    /// [`hash_u64`](Self::hash_u64) of several words.
    #[inline(always)]
    pub(crate) fn hash_words(&self, words: impl ExactSizeIterator<Item = u64>, hashes: &mut [u64]) {
        let mut group = Eight::<true>::splat(0);
        let whole = words.len() == group.0.len();
        group.0.iter_mut().zip(words).for_each(|(lane, word)| *lane = word);
        match &self.kind {
            HashKind::Xxh3 { .. } => {
                let hashed = xxh3_word(group, self.flip);
                match whole {
                    true => hashes.copy_from_slice(&hashed.0),
                    false => hashes.iter_mut().zip(hashed.0).for_each(|(hash, hashed)| *hash = hashed),
                }
            }
            HashKind::SipHash13 { .. } => {
                hashes.iter_mut().zip(group.0).for_each(|(hash, word)| *hash = self.keyed_u64(word));
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn keyed_u64(&self, word: u64) -> u64 {
        self.hash_bytes(&word.to_le_bytes())
    }
}

/// Two words of XXH3's published secret, combined: bytes 8 to 16 xor bytes 16 to 24.
const XXH3_SECRET: u64 = 0x1cad_21f7_2c81_017c ^ 0xdb97_9083_e96d_d4de;
const XXH3_PRIME: u64 = 0x9FB2_1C65_1E98_DF25;

/// What XXH3-64 combines an input of 4 to 8 bytes with.
const fn xxh3_flip(seed: u64) -> u64 {
    XXH3_SECRET.wrapping_sub(seed ^ ((seed as u32).swap_bytes() as u64) << 32)
}

/// XXH3-64 of eight bytes, from the published specification (its case of 4 to 8 bytes).
#[inline(always)]
fn xxh3_word<W: Word>(word: W, flip: u64) -> W {
    let x = word.rotate_left(32) ^ W::splat(flip);
    let x = x ^ x.rotate_left(49) ^ x.rotate_left(24);
    let x = x.times(XXH3_PRIME);
    let x = (x ^ x.shr(35).plus(W::splat(8))).times(XXH3_PRIME);
    x ^ x.shr(28)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_form_is_xxh3() {
        let mut rng = crate::rng::Rng::new(5);
        for round in 0..2_000 {
            let (seed, word) = (if round < 10 { round } else { rng.next() }, rng.next() >> (round % 64));
            let hasher = ItemHasher::new(HashKind::Xxh3 { seed });
            assert_eq!(hasher.hash_u64(word), twox_hash::XxHash3_64::oneshot_with_seed(seed, &word.to_le_bytes()));
        }
    }

    /// Published vectors, and values of this version for ever: a changed hash would lose every stored item.
    #[test]
    fn frozen_values() {
        let xxh3 = ItemHasher::new(HashKind::Xxh3 { seed: 0 });
        assert_eq!(xxh3.hash_bytes(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(xxh3.hash_bytes(b"abc"), 0x78af_5f94_892f_3950);
        let key: [u8; 16] = core::array::from_fn(|i| i as u8);
        let sip = ItemHasher::new(HashKind::SipHash13 { key });
        assert_eq!(sip.hash_bytes(b""), 0xabac_0158_050f_c4dc);
        assert_eq!(sip.hash_u64(9), sip.hash_bytes(&9u64.to_le_bytes()));
    }
}
