//! `forgeguard openapi`: prints the OpenAPI document.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use super::failure::Failure;
use crate::api::docs;

pub fn openapi() -> Result<ExitCode, Failure> {
    writeln!(io::stdout(), "{}", docs::document_text())?;
    Ok(ExitCode::SUCCESS)
}
