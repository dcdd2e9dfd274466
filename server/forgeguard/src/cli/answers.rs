//! Answers to the questions of a build: from a file, from the terminal, or left to the agent.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead, IsTerminal, Write},
    path::Path,
};

use domain::{event::questions::ClarificationRequest, ids::ClarificationId};

use super::failure::Failure;

/// Answers all questions that no other entry does.
const ANY: &str = "*";

#[derive(Default)]
pub struct Answers {
    /// Parts of questions in lower case, and their answers.
    by_question: BTreeMap<String, String>,
    open: Vec<ClarificationRequest>,
}

impl Answers {
    /// Reads a JSON object of parts of questions and their answers.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let invalid = |error: &dyn std::fmt::Display| {
            Failure::new(format!(
                "{}: {error}; write a JSON object such as {{\"Which database\": \"SQLite\"}}",
                file.display()
            ))
        };
        let text = fs::read_to_string(file).map_err(|error| invalid(&error))?;
        let read: BTreeMap<String, String> =
            serde_json::from_str(&text).map_err(|error| invalid(&error))?;
        let by_question = read.into_iter().map(|(part, answer)| (part.to_lowercase(), answer));
        Ok(Self { by_question: by_question.collect(), open: Vec::new() })
    }

    pub fn asked(&mut self, asked: ClarificationRequest) {
        self.open.push(asked);
    }

    pub fn resolved(&mut self, question: ClarificationId) {
        self.open.retain(|asked| asked.question_id != question);
    }

    pub fn take_open(&mut self) -> Vec<ClarificationRequest> {
        std::mem::take(&mut self.open)
    }

    /// The answer to a question; `None` leaves the decision to the agent.
    pub async fn answer(&self, asked: &ClarificationRequest) -> Result<Option<String>, Failure> {
        if let Some(answer) = self.prepared(&asked.question) {
            return Ok(Some(answer.to_owned()));
        }
        // There is no server on which a user could answer.
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(None);
        }
        let (question, options) = (asked.question.clone(), asked.options.clone());
        let read = tokio::task::spawn_blocking(move || read_answer(&question, &options));
        read.await.map_err(|error| Failure::new(error.to_string()))?
    }

    fn prepared(&self, question: &str) -> Option<&str> {
        let question = question.to_lowercase();
        let matching = self.by_question.iter().filter(|(part, _)| question.contains(part.as_str()));
        let longest = matching.max_by_key(|(part, _)| part.len()).map(|(_, answer)| answer);
        longest.or_else(|| self.by_question.get(ANY)).map(String::as_str)
    }
}

/// Asks on the terminal. The number of an option stands for it, and an empty line for no answer.
fn read_answer(question: &str, options: &[String]) -> Result<Option<String>, Failure> {
    let mut err = io::stderr().lock();
    writeln!(err, "\n{question}")?;
    for (number, option) in (1..).zip(options) {
        writeln!(err, "  {number}. {option}")?;
    }
    write!(err, "Answer, or Enter to let the agent decide: ")?;
    err.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let line = line.trim();
    let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let chosen = number.and_then(|at| options.get(at)).map(String::as_str);
    Ok(Some(chosen.unwrap_or(line).to_owned()).filter(|answer| !answer.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_matching_part_answers() {
        let entries = [("database", "SQLite"), ("database for tests", "memory"), ("*", "yes")];
        let by_question = entries.map(|(part, answer)| (part.to_owned(), answer.to_owned()));
        let answers = Answers { by_question: by_question.into(), open: Vec::new() };
        assert_eq!(answers.prepared("Which Database for tests?"), Some("memory"));
        assert_eq!(answers.prepared("Which database?"), Some("SQLite"));
        assert_eq!(answers.prepared("Which colour?"), Some("yes"));
        assert_eq!(Answers::default().prepared("Which colour?"), None);
    }
}
