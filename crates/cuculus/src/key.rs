//! What a key is: bytes. Text is its UTF-8, an integer its little-endian bytes.

use crate::hash::ItemHasher;
use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// A value that a filter can hold: something with an exact byte form.
///
/// `str`, `String`, byte slices, arrays and vectors are their bytes; integers are their little-endian bytes (`usize`
/// and `isize` have no fixed width and are no keys). So `"abc"`, `b"abc"` and `String::from("abc")` are one item, while
/// `1u32` and `1u64` are two.
pub trait Key {
    /// Calls `f` with the bytes of the key.
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R;

    /// The hash of the key: that of its bytes. Implementations that override this only make it faster.
    #[doc(hidden)]
    #[inline(always)]
    fn hash_with(&self, hasher: &ItemHasher) -> u64 {
        self.with_bytes(|bytes| hasher.hash_bytes(bytes))
    }

    /// The hashes of up to eight keys.
    #[doc(hidden)]
    #[inline(always)]
    fn hash_many(keys: &[Self], hasher: &ItemHasher, hashes: &mut [u64])
    where
        Self: Sized,
    {
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = key.hash_with(hasher);
        }
    }
}

macro_rules! key_as_bytes {
    ($($t:ty),*) => {$(
        impl Key for $t {
            #[inline(always)]
            fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
                f(self.as_ref())
            }
        }
    )*};
}
key_as_bytes!(str, String, [u8], Vec<u8>);

macro_rules! key_as_integer {
    ($($t:ty),*) => {$(
        impl Key for $t {
            #[inline(always)]
            fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
                f(&self.to_le_bytes())
            }
        }
    )*};
}
key_as_integer!(u8, u16, u32, u128, i8, i16, i32, i128);

macro_rules! key_as_word {
    ($($t:ty),*) => {$(
        impl Key for $t {
            #[inline(always)]
            fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
                f(&self.to_le_bytes())
            }

            #[inline(always)]
            fn hash_with(&self, hasher: &ItemHasher) -> u64 {
                hasher.hash_u64(*self as u64)
            }

            #[inline(always)]
            fn hash_many(keys: &[Self], hasher: &ItemHasher, hashes: &mut [u64]) {
                hasher.hash_words(keys.iter().map(|&key| key as u64), hashes);
            }
        }
    )*};
}
key_as_word!(u64, i64);

impl<const N: usize> Key for [u8; N] {
    #[inline(always)]
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(self)
    }
}

impl<K: Key + ?Sized> Key for &K {
    #[inline(always)]
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        K::with_bytes(self, f)
    }

    #[inline(always)]
    fn hash_with(&self, hasher: &ItemHasher) -> u64 {
        K::hash_with(self, hasher)
    }
}

impl<K: Key + ?Sized> Key for Box<K> {
    #[inline(always)]
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        K::with_bytes(self, f)
    }
}

impl<K: Key + ToOwned + ?Sized> Key for Cow<'_, K> {
    #[inline(always)]
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        K::with_bytes(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{HashKind, ItemHasher};

    fn hash(key: impl Key) -> u64 {
        key.hash_with(&ItemHasher::new(HashKind::Xxh3 { seed: 3 }))
    }

    /// BR-049: one item whatever type carries its bytes.
    #[test]
    fn equal_bytes_are_equal_keys() {
        let text = hash("abc");
        assert_eq!(text, hash(String::from("abc")));
        assert_eq!(text, hash(*b"abc"));
        assert_eq!(text, hash(b"abc".as_slice()));
        assert_eq!(text, hash(b"abc".to_vec()));
        assert_eq!(text, hash(Cow::Borrowed("abc")));
        assert_eq!(text, hash(Box::<str>::from("abc")));
        assert_eq!(hash(7u64), hash(7u64.to_le_bytes()));
        assert_eq!(hash(-7i64), hash((-7i64).to_le_bytes()));
        assert_eq!(hash(7u32), hash([7u8, 0, 0, 0]));
        assert_eq!(hash(7u128), hash(7u128.to_le_bytes()));
        assert_ne!(hash(7u32), hash(7u64));
    }
}
