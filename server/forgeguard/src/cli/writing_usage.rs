//! What a generation used, compared with an estimate for sending everything in full.

use std::io::{self, Write};

use crate::api::{Generation, GenerationAnswers, GenerationContract};

/// Prints a line per contract and their sum, or one line for an interview.
pub fn show(out: &mut impl Write, generation: &Generation) -> io::Result<()> {
    writeln!(
        out,
        "{:<18} {:>7} {:>9} {:>9} {:>11} {:>11} {:>10} {:>9} {:>9} {:>6}",
        "contract",
        "replies",
        "in",
        "out",
        "cache read",
        "cache write",
        "USD",
        "sent",
        "pasted",
        "ratio"
    )?;
    if let Some(answers) = &generation.answers {
        return Line::of_answers(answers).show(out, "answers");
    }
    let mut total = Line::default();
    for contract in &generation.contracts {
        let line = Line::of(contract);
        line.show(out, contract.kind.name())?;
        total.add(&line);
    }
    total.show(out, "total")?;
    writeln!(
        out,
        "\n\"sent\" and \"pasted\" are estimated alike: the tokens sent in all turns, and the tokens"
    )?;
    writeln!(out, "if each prompt had contained all answers and all earlier contracts")
}

#[derive(Default)]
struct Line {
    turns: u64,
    tokens: [u64; 4],
    cost: Option<u64>,
    sent: u64,
    pasted: u64,
}

impl Line {
    fn of(contract: &GenerationContract) -> Self {
        Self {
            turns: u64::from(contract.turn),
            tokens: [
                contract.tokens_in,
                contract.tokens_out,
                contract.cache_read,
                contract.cache_write,
            ],
            cost: contract.cost_usd_micros,
            sent: contract.sent_tokens,
            pasted: contract.pasted_tokens,
        }
    }

    fn of_answers(answers: &GenerationAnswers) -> Self {
        let GenerationAnswers { tokens_in, tokens_out, cache_read, cache_write, .. } = *answers;
        Self {
            turns: u64::from(answers.turn),
            tokens: [tokens_in, tokens_out, cache_read, cache_write],
            cost: answers.cost_usd_micros,
            ..Self::default()
        }
    }

    fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        for (sum, more) in self.tokens.iter_mut().zip(other.tokens) {
            *sum += more;
        }
        self.cost = match (self.cost, other.cost) {
            (None, cost) | (cost, None) => cost,
            (Some(sum), Some(more)) => Some(sum + more),
        };
        self.sent += other.sent;
        self.pasted += other.pasted;
    }

    fn show(&self, out: &mut impl Write, name: &str) -> io::Result<()> {
        let [tokens_in, tokens_out, cache_read, cache_write] = self.tokens;
        let usd = self.cost.map_or("?".to_owned(), |micros| format!("{:.4}", micros as f64 / 1e6));
        let ratio = match self.pasted {
            0 => String::new(),
            pasted => format!("{:.2}", self.sent as f64 / pasted as f64),
        };
        let (turns, sent, pasted) = (self.turns, self.sent, self.pasted);
        writeln!(
            out,
            "{name:<18} {turns:>7} {tokens_in:>9} {tokens_out:>9} {cache_read:>11} \
             {cache_write:>11} {usd:>10} {sent:>9} {pasted:>9} {ratio:>6}"
        )
    }
}
