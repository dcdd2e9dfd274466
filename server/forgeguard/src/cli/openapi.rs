//! `forgeguard openapi`: the API document, for what is made from it.

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
