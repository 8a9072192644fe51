//! Records of fields with CSV quoting, of which one is the key.

use super::block::{Block, Record};
use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};

/// The parser and where it stands inside an unfinished record.
pub(super) struct Csv {
    reader: Reader,
    /// The wanted field, from 0.
    wanted: usize,
    terminator: u8,
    /// The field that is being read, from 0.
    field: usize,
    /// Whether the wanted field of this record is complete, and what it is so far.
    found: bool,
    key: Vec<u8>,
    /// Bytes of the unfinished record that the parser has seen.
    seen: usize,
    /// Records so far, for messages.
    records: u64,
}

impl Csv {
    /// `field` counts from 1.
    pub(super) fn new(field: usize, delimiter: u8, terminator: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(terminator)).build();
        Csv { reader, wanted: field - 1, terminator, field: 0, found: false, key: Vec::new(), seen: 0, records: 0 }
    }

    /// As [`Cut::cut`](super::cut::Cut::cut).
    pub(super) fn cut(&mut self, block: &mut Block, filled: usize) -> Result<usize, String> {
        let (mut start, mut at) = (0, self.seen);
        let mut piece = [0; 4096];
        while at < filled {
            let (result, read, written) = self.reader.read_field(&block.text[at..filled], &mut piece);
            at += read;
            if self.field == self.wanted {
                self.key.extend_from_slice(&piece[..written]);
            }
            if let ReadFieldResult::Field { record_end } = result {
                self.found |= self.field == self.wanted;
                self.field += 1;
                if record_end {
                    self.finish(block, start, at)?;
                    start = at;
                }
            }
        }
        self.seen = filled - start;
        Ok(start)
    }

    /// A record is complete: `text[start..end]`, perhaps after empty lines that the parser passes over.
    fn finish(&mut self, block: &mut Block, start: usize, end: usize) -> Result<(), String> {
        let text = &block.text[start..end];
        let empty = text.iter().take_while(|&&byte| byte == self.terminator).count();
        let record = &text[empty..];
        let crlf = self.terminator == b'\n' && record.ends_with(b"\r\n");
        let blank = crlf && record.len() == 2;
        let (fields, found) = (self.field, self.found);
        (self.field, self.found) = (0, false);
        if blank {
            self.key.clear();
            return Ok(());
        }
        self.records += 1;
        if !found {
            let (record, wanted) = (self.records, self.wanted + 1);
            return Err(format!("record {record} has {fields} fields, --field asks for number {wanted}"));
        }
        // The carriage return of the line's end stands after the last field, quoted or not.
        if crlf && fields == self.wanted + 1 && self.key.last() == Some(&b'\r') {
            self.key.pop();
        }
        let from = block.unquoted.len();
        block.unquoted.append(&mut self.key);
        let key = from..block.unquoted.len();
        block.records.push(Record { text: start + empty..end, key, is_unquoted: true });
        Ok(())
    }
}
