//! Cutting text into records. A record may come in pieces: what was searched is not searched again.

use super::InputArgs;
use super::block::{Block, Record};
use super::csv::Csv;

/// How records are told apart.
pub(super) enum Cut {
    Lines(Lines),
    Csv(Box<Csv>),
}

/// One record a line.
pub(super) struct Lines {
    terminator: u8,
    /// Bytes of the unfinished record that have no terminator in them.
    searched: usize,
}

impl Cut {
    pub(super) fn new(args: &InputArgs) -> Self {
        let terminator = args.terminator();
        match args.field {
            Some(field) => Cut::Csv(Box::new(Csv::new(field.get(), args.delimiter.unwrap_or(b','), terminator))),
            None => Cut::Lines(Lines { terminator, searched: 0 }),
        }
    }

    /// Adds the whole records of `block.text[..filled]` to the block, whose text starts with the unfinished record of
    /// the last call. Returns where the unfinished record at the end starts.
    pub(super) fn cut(&mut self, block: &mut Block, filled: usize) -> Result<usize, String> {
        match self {
            Cut::Lines(lines) => Ok(lines.cut(block, filled)),
            Cut::Csv(csv) => csv.cut(block, filled),
        }
    }

    /// Why the record that is left at the end of an input, its terminator added, is still unfinished.
    pub(super) fn unfinished(&self) -> String {
        "the last record has a quoted field that is not closed".to_owned()
    }
}

impl Lines {
    fn cut(&mut self, block: &mut Block, filled: usize) -> usize {
        let mut start = 0;
        let text = &block.text[..filled];
        for found in memchr::memchr_iter(self.terminator, &text[self.searched..]) {
            let end = self.searched + found;
            // A carriage return before the newline is part of the line's end; before a NUL it is part of the key.
            let crlf = self.terminator == b'\n' && end > start && text[end - 1] == b'\r';
            let key = start..end - usize::from(crlf);
            block.records.push(Record { text: start..end + 1, key, is_unquoted: false });
            start = end + 1;
        }
        self.searched = filled - start;
        start
    }
}
