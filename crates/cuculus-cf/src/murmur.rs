//! MurmurHash64A (Austin Appleby, public domain), from its definition: the hash of RedisBloom's items.

const M: u64 = 0xc6a4_a793_5bd1_e995;

/// The hash of `bytes` with seed 0.
pub(crate) fn murmur64a(bytes: &[u8]) -> u64 {
    let mix = |word: u64| {
        let word = word.wrapping_mul(M);
        (word ^ (word >> 47)).wrapping_mul(M)
    };
    let mut hash = (bytes.len() as u64).wrapping_mul(M);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = (hash ^ mix(u64::from_le_bytes(*word))).wrapping_mul(M);
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(M);
    }
    hash = (hash ^ (hash >> 47)).wrapping_mul(M);
    hash ^ (hash >> 47)
}
