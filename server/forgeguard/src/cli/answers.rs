//! Answers to the questions of a build: from a file, from the terminal, or left to others.

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

/// What is done about a question.
#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    Answer(String),
    /// The agent decides.
    Skip,
    /// It stays open, until someone answers it or its time is over.
    Wait,
}

#[derive(Default)]
pub struct Answers {
    /// Parts of questions in lower case, and their answers.
    by_question: BTreeMap<String, String>,
    /// Without an answer, the agent decides at once.
    is_unattended: bool,
    open: Vec<ClarificationRequest>,
}

impl Answers {
    /// Reads a JSON object of parts of questions and their answers.
    pub fn read(file: Option<&Path>, is_unattended: bool) -> Result<Self, Failure> {
        let Some(file) = file else { return Ok(Self { is_unattended, ..Self::default() }) };
        let invalid = |error: &dyn std::fmt::Display| {
            Failure::invalid_input(format!(
                "{}: {error}; write a JSON object such as {{\"Which database\": \"SQLite\"}}",
                file.display()
            ))
        };
        let text = fs::read_to_string(file).map_err(|error| invalid(&error))?;
        let read: BTreeMap<String, String> =
            serde_json::from_str(&text).map_err(|error| invalid(&error))?;
        let by_question = read.into_iter().map(|(part, answer)| (part.to_lowercase(), answer));
        Ok(Self { by_question: by_question.collect(), is_unattended, open: Vec::new() })
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

    pub async fn reply(&self, asked: &ClarificationRequest) -> Result<Reply, Failure> {
        if let Some(answer) = self.prepared(&asked.question) {
            return Ok(Reply::Answer(answer.to_owned()));
        }
        if self.is_unattended {
            return Ok(Reply::Skip);
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(Reply::Wait);
        }
        let (question, options) = (asked.question.clone(), asked.options.clone());
        let read = tokio::task::spawn_blocking(move || read_reply(&question, &options));
        read.await.map_err(|error| Failure::new(error.to_string()))?
    }

    fn prepared(&self, question: &str) -> Option<&str> {
        let question = question.to_lowercase();
        let matching = self.by_question.iter().filter(|(part, _)| question.contains(part.as_str()));
        let longest = matching.max_by_key(|(part, _)| part.len()).map(|(_, answer)| answer);
        longest.or_else(|| self.by_question.get(ANY)).map(String::as_str)
    }
}

/// Asks on the terminal. The number of an option stands for it.
fn read_reply(question: &str, options: &[String]) -> Result<Reply, Failure> {
    let mut err = io::stderr().lock();
    writeln!(err, "\n{question}")?;
    for (number, option) in (1..).zip(options) {
        writeln!(err, "  {number}. {option}")?;
    }
    write!(err, "Answer, or Enter to let the agent decide: ")?;
    err.flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Ok(Reply::Wait);
    }
    let line = line.trim();
    let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    Ok(match number.and_then(|at| options.get(at)).map_or(line, String::as_str) {
        "" => Reply::Skip,
        answer => Reply::Answer(answer.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_matching_part_answers() {
        let entries = [("database", "SQLite"), ("database for tests", "memory"), ("*", "yes")];
        let by_question = entries.map(|(part, answer)| (part.to_owned(), answer.to_owned()));
        let answers = Answers { by_question: by_question.into(), ..Answers::default() };
        assert_eq!(answers.prepared("Which Database for tests?"), Some("memory"));
        assert_eq!(answers.prepared("Which database?"), Some("SQLite"));
        assert_eq!(answers.prepared("Which colour?"), Some("yes"));
        assert_eq!(Answers::default().prepared("Which colour?"), None);
    }
}
