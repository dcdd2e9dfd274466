//! What was measured, and the table that shows it.

use std::fmt::Write;

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Measure {
    name: String,
    value: String,
    ratio: Option<f64>,
    target: Option<Target>,
}

#[derive(Clone, Debug)]
struct Target {
    text: String,
    met: bool,
}

impl Measure {
    /// A value for the reader.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), ratio: None, target: None }
    }

    /// Beside something else that was measured in this run.
    pub fn ratio(mut self, ratio: f64) -> Self {
        self.ratio = Some(ratio);
        self
    }

    /// `measured` has to be at least `limit`.
    pub fn at_least(self, measured: f64, limit: f64, unit: &str) -> Self {
        self.target(format!("≥ {limit}{unit}"), measured >= limit)
    }

    /// `measured` has to be at most `limit`.
    pub fn at_most(self, measured: f64, limit: f64, unit: &str) -> Self {
        self.target(format!("≤ {limit}{unit}"), measured <= limit)
    }

    /// Whether a target was set and not reached.
    pub fn is_missed(&self) -> bool {
        self.target.as_ref().is_some_and(|target| !target.met)
    }

    fn target(mut self, text: String, met: bool) -> Self {
        self.target = Some(Target { text, met });
        self
    }

    fn cells(&self) -> [String; 5] {
        let verdict = self.target.as_ref().map_or("", |t| if t.met { "ok" } else { "MISS" });
        [
            self.name.clone(),
            self.value.clone(),
            self.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")),
            self.target.as_ref().map_or(String::new(), |target| target.text.clone()),
            verdict.to_owned(),
        ]
    }
}

/// All lines under one heading, in columns.
pub fn render(measures: &[Measure]) -> String {
    let heading = ["measure", "value", "ratio", "target", ""].map(str::to_owned);
    let rows: Vec<[String; 5]> =
        std::iter::once(heading).chain(measures.iter().map(Measure::cells)).collect();
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            // Numbers end under one another.
            if matches!(column, 1..=3) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
        if at == 0 {
            let _ = writeln!(text, "{}", "─".repeat(widths.iter().sum::<usize>() + 8));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other_and_misses_are_named() {
        let text = render(&[
            Measure::new("short", "1 s").ratio(0.5).at_least(0.5, 0.5, ""),
            Measure::new("much longer", "1,000 s").at_most(2.0, 1.0, " s"),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2], "short            1 s   0.50   ≥ 0.5  ok");
        assert_eq!(lines[3], "much longer  1,000 s          ≤ 1 s  MISS");
    }
}
