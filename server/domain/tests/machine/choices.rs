//! Luck as data: a list of bytes that decides whatever is not decided by the machine.

use proptest::prelude::*;
use sha2::{Digest, Sha256};

/// Choices to come. Once they are used up everything goes well, so every life comes to an end.
#[derive(Clone, Debug)]
pub struct Choices {
    bytes: Vec<u8>,
    used: usize,
}

impl Choices {
    /// These, in this order.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, used: 0 }
    }

    /// Nothing but luck.
    pub fn kind() -> Self {
        Self::new(Vec::new())
    }

    /// Always the same ones for a number.
    pub fn of_seed(seed: u64, length: usize) -> Self {
        let block = |n: usize| Sha256::digest(format!("{seed}:{n}"));
        Self::new((0..).flat_map(block).take(length).collect())
    }

    /// One of `of` ways; 0 is the kindest.
    pub fn pick(&mut self, of: usize) -> usize {
        let byte = self.bytes.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        usize::from(byte) % of
    }

    /// True once in `of` times, and never when everything goes well.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.pick(of) == of - 1
    }

    /// One of these; the first is the kindest.
    pub fn of<T: Clone>(&mut self, ways: &[T]) -> T {
        ways[self.pick(ways.len())].clone()
    }

    /// How many there were.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// Any luck, of any length up to what fills a long life.
pub fn any_choices() -> impl Strategy<Value = Choices> {
    proptest::collection::vec(any::<u8>(), 0..400).prop_map(Choices::new)
}
