//! `forgeguard validate`: reads a spec and lists its problems.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use domain::spec;

use super::{
    failure::{Failure, INVALID_INPUT},
    spec_files::SpecFiles,
};
use crate::contracts::spec_report::SpecReport;

pub fn validate(file: &Path, is_strict: bool, json: bool) -> Result<ExitCode, Failure> {
    let files = SpecFiles::read(file)?;
    let parsed = spec::parse(files.text());
    let has_warnings =
        !parsed.warnings.is_empty() || parsed.missing.iter().any(|section| section.is_expected());
    let is_valid = parsed.is_valid() && !(is_strict && has_warnings);
    if json {
        let mut report = serde_json::to_value(SpecReport::from(&parsed))?;
        report["valid"] = is_valid.into();
        writeln!(io::stdout(), "{report}")?;
    } else {
        let mut err = io::stderr().lock();
        let warning = if is_strict { "error" } else { "warning" };
        for problem in &parsed.errors {
            writeln!(err, "error: {}", files.described(problem))?;
        }
        for problem in &parsed.warnings {
            writeln!(err, "{warning}: {}", files.described(problem))?;
        }
        for section in parsed.missing.iter().filter(|section| section.is_expected()) {
            writeln!(err, "{warning}: no `{}`. {}", section.heading(), section.purpose())?;
        }
        if is_valid {
            let spec = &parsed.spec;
            writeln!(
                io::stdout(),
                "valid: {} requirements, {} pass criteria, {} phases, {} files",
                spec.requirements.len(),
                spec.criteria.len(),
                spec.phases.len().max(1),
                spec.files.len()
            )?;
        }
    }
    Ok(if is_valid { ExitCode::SUCCESS } else { ExitCode::from(INVALID_INPUT) })
}
