//! `serde`: the bytes of the file format as one byte string, or base64 text where a format is for people; read back with
//! the checks of the file reader.
#![forbid(unsafe_code)]

use crate::filter::CuckooFilter;
use crate::format::FormatError;
use crate::growing::GrowingFilter;
use crate::window::WindowFilter;
use alloc::vec::Vec;
use core::fmt;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// As the bytes of [`to_bytes`](Self::to_bytes); in human-readable formats (JSON) those bytes as base64. A filter with a
/// secret key is written too, but cannot be read back this way: `serde` has no way to ask for the key. Store its bytes
/// and use [`from_bytes`](CuckooFilter::from_bytes).
impl<S: AsRef<[u8]>> Serialize for CuckooFilter<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serialize(&self.to_bytes(), serializer)
    }
}

/// As a [`CuckooFilter`].
impl<'de> Deserialize<'de> for WindowFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, |bytes| WindowFilter::from_bytes(bytes, None))
    }
}

/// As a [`CuckooFilter`].
impl Serialize for WindowFilter {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serialize(&self.to_bytes(), serializer)
    }
}

/// From what [`Serialize`] writes, or a sequence of bytes, with all checks of [`from_bytes`](Self::from_bytes). Filters
/// with a secret key are refused, see there.
impl<'de> Deserialize<'de> for CuckooFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, |bytes| CuckooFilter::from_bytes(bytes, None))
    }
}

/// As a [`CuckooFilter`].
impl Serialize for GrowingFilter {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serialize(&self.to_bytes(), serializer)
    }
}

/// As a [`CuckooFilter`].
impl<'de> Deserialize<'de> for GrowingFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, |bytes| GrowingFilter::from_bytes(bytes, None))
    }
}

fn serialize<T: Serializer>(bytes: &[u8], serializer: T) -> Result<T::Ok, T::Error> {
    match serializer.is_human_readable() {
        true => serializer.collect_str(&Base64(bytes)),
        false => serializer.serialize_bytes(bytes),
    }
}

fn deserialize<'de, D: Deserializer<'de>, F>(deserializer: D, read: Read<F>) -> Result<F, D::Error> {
    match deserializer.is_human_readable() {
        true => deserializer.deserialize_any(FilterBytes(read)),
        false => deserializer.deserialize_byte_buf(FilterBytes(read)),
    }
}

type Read<F> = fn(&[u8]) -> Result<F, FormatError>;

/// Takes bytes, in whatever form, and makes a filter of them.
struct FilterBytes<F>(Read<F>);

impl<'de, F> Visitor<'de> for FilterBytes<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a cuckoo filter, or their base64")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<F, E> {
        (self.0)(bytes).map_err(|error| match error {
            FormatError::KeyNeeded => E::custom("a filter with a secret key is read by from_bytes"),
            error => E::custom(error),
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<F, E> {
        let bytes = decode(text).ok_or_else(|| E::custom("the text is not base64"))?;
        self.visit_bytes(&bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<F, A::Error> {
        // What the format says about its length is a claim; memory follows what comes.
        let mut bytes = Vec::with_capacity(sequence.size_hint().unwrap_or(0).min(4096));
        while let Some(byte) = sequence.next_element::<u8>()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes that display as base64 with padding (RFC 4648).
struct Base64<'a>(&'a [u8]);

impl fmt::Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In pieces: one call for each four digits would be slow.
        let mut text = [0; 1024];
        for piece in self.0.chunks(768) {
            let mut end = 0;
            for three in piece.chunks(3) {
                let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
                let word = byte(0) << 16 | byte(1) << 8 | byte(2);
                for digit in 0..4 {
                    let value = DIGITS[(word >> (18 - 6 * digit) & 63) as usize];
                    text[end] = if digit <= three.len() { value } else { b'=' };
                    end += 1;
                }
            }
            f.write_str(core::str::from_utf8(&text[..end]).map_err(|_| fmt::Error)?)?;
        }
        Ok(())
    }
}

/// The bytes of base64 text; `None` where it is not exactly what [`Base64`] writes.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    let padding = text.iter().rev().take_while(|&&digit| digit == b'=').count();
    if text.len() % 4 != 0 || padding > 2 {
        return None;
    }
    let digits = &text[..text.len() - padding];
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for four in digits.chunks(4) {
        let mut word = 0u32;
        for &digit in four {
            word = word << 6 | value_of(digit)?;
        }
        let whole = four.len() * 6 / 8;
        word <<= 6 * (4 - four.len());
        // Bits after the last whole byte are zero.
        if word & ((1 << (24 - 8 * whole)) - 1) != 0 {
            return None;
        }
        bytes.extend_from_slice(&word.to_be_bytes()[1..1 + whole]);
    }
    Some(bytes)
}

fn value_of(digit: u8) -> Option<u32> {
    Some(
        match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        }
        .into(),
    )
}
