//! Nothing is left to be filled in.

use std::sync::LazyLock;

use domain::contract::{ContractSource, ContractType};
use regex::Regex;

use super::{
    finding::{Finding, Place, Rule},
    reading::Reading,
};

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    const PATTERN: &str = r"\[TODO:[^\]\n]*\]|\b(?:TODO|TBD|FIXME|XXX)\b|(?i:lorem ipsum)|(?i:\bto be (?:decided|defined|determined)\b)|(?i:[\[<{](?:insert|fill in|your|todo|placeholder)\b[^\]>}\n]*[\]>}])";
    Regex::new(PATTERN).unwrap_or_else(|e| unreachable!("a fixed pattern: {e}"))
});

pub(super) fn check(reading: &Reading<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for contract in ContractType::ALL {
        let text = reading.set.get(contract);
        let finding = |line, text| Finding {
            rule: Rule::NoPlaceholder,
            at: Place { contract, line },
            see: None,
            text,
        };
        if text.source == ContractSource::Template {
            let why = "This contract has not been written yet: the text is an example for another product.";
            findings.push(finding(1, why.to_owned()));
            continue;
        }
        for (index, line) in text.content.lines().enumerate() {
            if let Some(found) = PLACEHOLDER.find(line) {
                let why = format!("`{}` still needs to be filled in.", found.as_str());
                findings.push(finding(index + 1, why));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_distinguished_from_text() {
        for (text, open) in [
            ("TODO: write this", true),
            ("The limit is TBD.", true),
            ("Name: [your project]", true),
            ("<insert table>", true),
            ("Lorem ipsum dolor", true),
            ("The port is to be decided", true),
            ("A todo list for small teams", false),
            ("Each row holds {title}", false),
            ("[yours](https://example.org)", false),
        ] {
            assert_eq!(PLACEHOLDER.is_match(text), open, "{text}");
        }
    }
}
