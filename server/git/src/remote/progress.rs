//! Progress as `git` reports it.

/// What `git` is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The server counts and compresses objects.
    Preparing,
    Receiving,
    /// Objects are completed and checked.
    Checking,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    /// Of the stage.
    pub percent: Option<u8>,
    /// Received so far, if the line says so.
    pub bytes: Option<u64>,
}

/// A line such as `Receiving objects:  45% (450/1000), 3.40 MiB | 1.20 MiB/s`.
pub(super) fn read(line: &str) -> Option<Progress> {
    let line = line.trim_start_matches("remote: ").trim();
    let (title, rest) = line.split_once(':')?;
    let stage = match title {
        "Enumerating objects" | "Counting objects" | "Compressing objects" => Stage::Preparing,
        "Receiving objects" | "Unpacking objects" | "Writing objects" => Stage::Receiving,
        "Resolving deltas" | "Checking objects" | "Checking connectivity" => Stage::Checking,
        _ => return None,
    };
    let percent = rest.split('%').next().and_then(|number| number.trim().parse().ok());
    let percent = percent.filter(|percent: &u8| *percent <= 100 && rest.contains('%'));
    let bytes = rest.split(", ").skip(1).find_map(size);
    Some(Progress { stage, percent, bytes })
}

/// `3.40 MiB | …` in bytes.
fn size(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    let unit: u64 = match words.next()? {
        "bytes" => 1,
        "KiB" => 1024,
        "MiB" => 1024 * 1024,
        "GiB" => 1024 * 1024 * 1024,
        _ => return None,
    };
    // Two decimals.
    let hundredths = (number * 100.0).clamp(0.0, 1e15) as u64;
    Some(hundredths.saturating_mul(unit) / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_git_are_read() {
        use Stage::*;
        for (line, stage, percent, bytes) in [
            ("remote: Counting objects:  12% (12/100)", Preparing, Some(12), None),
            ("remote: Enumerating objects: 5, done.", Preparing, None, None),
            (
                "Receiving objects:  45% (9/20), 3.50 MiB | 1.20 MiB/s",
                Receiving,
                Some(45),
                Some(3_670_016),
            ),
            (
                "Receiving objects: 100% (3/3), 208 bytes | 208.00 KiB/s, done.",
                Receiving,
                Some(100),
                Some(208),
            ),
            ("Resolving deltas: 100% (1/1), done.", Checking, Some(100), None),
        ] {
            assert_eq!(read(line), Some(Progress { stage, percent, bytes }), "{line}");
        }
        for line in ["From http://host/a", "fatal: repository not found", "remote: hello", ""] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
