//! The texts of a pull request, from the record of the build.

use askama::Template;
use domain::{
    seal::{
        self,
        matrix::{self, MatrixRow},
    },
    state::BuildState,
    verdict::{Clause, Evidence, Proof, Standing},
};

use super::escaping::{code, escape};
use crate::store::{builds::Build, projects::Project, seals::Seal};

/// Bytes, below the limits of all forges: GitHub's is 65,536 characters.
const MAX_BODY_BYTES: usize = 60_000;
/// Characters of a title; GitHub's limit is 256, of which the mark of a draft needs some.
const MAX_TITLE_CHARS: usize = 200;

#[derive(Template)]
#[template(path = "pull-request.md")]
struct Body {
    verdict: &'static str,
    score: f64,
    number: u32,
    project: String,
    link: String,
    reason: Option<String>,
    requirements: String,
    clauses: Vec<ClausePart>,
    commit: String,
    journal_head: String,
}

struct ClausePart {
    name: String,
    standing: &'static str,
    proofs: Vec<String>,
}

/// The title: that of the build, or its number.
pub fn title(build: &Build) -> String {
    let title = build.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let title = title.map_or_else(|| format!("ForgeGuard build {}", build.number), str::to_owned);
    let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(MAX_TITLE_CHARS).collect()
}

/// The description as Markdown. `link` is the build's page.
pub fn body(
    state: &BuildState,
    build: &Build,
    project: &Project,
    sealed: &Seal,
    evidence: &Evidence,
    link: &str,
) -> Result<String, askama::Error> {
    let rows: Vec<MatrixRow> = matrix::matrix(state).into_iter().map(escaped_row).collect();
    let text = Body {
        verdict: sealed.verdict.name(),
        score: sealed.score,
        number: build.number,
        project: escape(&project.name),
        link: link.to_owned(),
        reason: seal::reason(evidence).map(|reason| escape(&reason)),
        requirements: if rows.is_empty() { String::new() } else { matrix::markdown(&rows) },
        clauses: evidence.clauses.iter().map(clause).collect(),
        commit: sealed.seal_commit.clone(),
        journal_head: sealed.journal_head.clone(),
    }
    .render()?;
    Ok(shortened(text, link))
}

fn escaped_row(mut row: MatrixRow) -> MatrixRow {
    row.requirement.text = escape(&row.requirement.text);
    row.reason = escape(&row.reason);
    for one in &mut row.criteria {
        one.criterion.text = escape(&one.criterion.text);
    }
    row
}

fn clause(clause: &Clause) -> ClausePart {
    let name = serde_json::to_value(clause.clause).unwrap_or_default();
    ClausePart {
        name: name.as_str().unwrap_or_default().replace('_', " "),
        standing: match clause.standing {
            Standing::Holds => "holds",
            Standing::Open => "open",
            Standing::Broken => "does not hold",
        },
        proofs: clause.proofs.iter().map(proof).collect(),
    }
}

fn proof(proof: &Proof) -> String {
    let mut line = escape(&proof.what);
    if let Some(command) = &proof.command {
        line.push_str(&format!(" {}", code(command)));
    }
    if let Some(exit_code) = proof.exit_code {
        line.push_str(&format!(", exit code {exit_code}"));
    }
    if let Some(commit) = &proof.commit {
        line.push_str(&format!(", on {}", code(commit.get(..12).unwrap_or(commit))));
    }
    if let Some(hash) = &proof.output_sha256 {
        line.push_str(&format!(", output sha256 {}", code(hash)));
    }
    line
}

/// Whole lines within the limit.
fn shortened(text: String, link: &str) -> String {
    if text.len() <= MAX_BODY_BYTES {
        return text;
    }
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if kept.len() + line.len() > MAX_BODY_BYTES {
            break;
        }
        kept.push_str(line);
    }
    format!("{kept}\nThe rest is in the [report of the build]({link}).\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_description_ends_with_a_whole_line_and_a_link() {
        let text = "| a row |\n".repeat(10_000);
        let shown = shortened(text, "https://forge/b");
        assert!(shown.len() < MAX_BODY_BYTES + 200, "{}", shown.len());
        let end = "| a row |\n\nThe rest is in the [report of the build](https://forge/b).\n";
        assert!(shown.ends_with(end), "{}", &shown[shown.len() - 100..]);
        assert_eq!(shortened("short".to_owned(), ""), "short");
    }
}
