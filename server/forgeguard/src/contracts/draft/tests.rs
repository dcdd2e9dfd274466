//! Drafts fit their types, quote the answers, and hold nothing that an answer could forge.

use domain::{
    contract::{ContractFormat, ContractType, gap_count},
    phases,
    questionnaire::{Answer, Answers, Kind, SectionId, Size},
};
use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestCaseResult};
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::draft;
use crate::contracts::{boundaries, brief::Brief, physics, templates::OURS, validate_for};

const SIZES: [Size; 2] = [Size::Full, Size::Mini];

fn written(kind: ContractType, brief: &Brief) -> String {
    draft(kind, brief).unwrap()
}

/// A project that answers every question by what `answer` makes of the question's own example.
fn brief(size: Size, answer: impl Fn(&str) -> String) -> Brief {
    let mut answers = Answers::default();
    for section in size.sections() {
        for question in section.questions {
            let answer = match question.kind {
                Kind::List => Answer::Items(vec![answer(question.example)]),
                _ => Answer::Text(answer(question.example)),
            };
            answers.set(section.id, question.id, answer);
        }
    }
    Brief { name: "TaskFlow".into(), size, answers }
}

#[test]
fn draft_quotes_the_answers() {
    use ContractType as T;
    let brief = brief(Size::Full, str::to_owned);
    for (kind, part) in [
        (T::Manifesto, "Simple to read, then few dependencies."),
        (
            T::Blueprint,
            "- **R-1** (must, stated) A member finishes a task, so that it is not done twice\n",
        ),
        (T::Blueprint, "No calendar, no email, no time tracking."),
        (T::Stack, "Programming language: Python\n"),
        (T::Stack, "- Flask 3\n"),
        (T::Stack, "Test command: `pytest`\n"),
        (T::Schema, "- Task: title, owner, due date, done or not\n"),
        (T::Physics, "about: \"List the tasks that are due today\""),
        (T::Physics, "access: \"Signed-in members; all other requests are rejected.\""),
        (T::Boundaries, "\"rule\": \"Rules: what a task is and when it is overdue\""),
        (
            T::Boundaries,
            "\"rules\": [\"The rules do not depend on the web framework or the database.\"]",
        ),
        (T::Ui, "- Today: tasks that are due, overdue ones first; finish a task\n"),
        (T::Phases, "**Covers:** R-1\n"),
        (T::Phases, "- All tests pass (`pytest`)\n"),
        (T::Phases, "- deployment: A container\n"),
        (T::BuilderDirective, "formatted by black"),
    ] {
        let text = written(kind, &brief);
        assert!(text.contains(part), "{kind} does not contain {part:?}:\n{text}");
    }
}

#[test]
fn unanswered_question_is_a_gap() {
    let answered = brief(Size::Full, str::to_owned);
    let empty = Brief { answers: Answers::default(), ..answered.clone() };
    for kind in ContractType::ALL {
        let (most, least) =
            (gap_count(&written(kind, &empty)), gap_count(&written(kind, &answered)));
        assert!(most > least, "{kind}: {most} {least}");
    }
    assert!(written(ContractType::Stack, &empty).contains("[TODO: the language and its version]"));
    let indifferent = brief(Size::Full, |_| "No preference".to_owned());
    assert!(written(ContractType::Stack, &indifferent).contains("[TODO: the language and its"));
}

#[test]
fn draft_does_not_mention_this_product() {
    for (size, kind) in
        SIZES.into_iter().flat_map(|size| ContractType::ALL.map(|kind| (size, kind)))
    {
        let lower = written(kind, &brief(size, str::to_owned)).to_lowercase();
        let word = OURS.iter().find(|word| lower.contains(**word));
        assert_eq!(word, None, "{kind}");
    }
}

#[test]
fn draft_without_answers_fits_its_type() {
    for size in SIZES {
        let brief = Brief { name: "🚀".into(), size, answers: Answers::default() };
        well_formed(&brief).unwrap();
    }
}

/// As long as answers can be: 20,000 characters a text, 100 items of 500 characters a list.
#[test]
fn longest_answers_fit() {
    for c in ["🚀", "*"] {
        let mut brief = brief(Size::Full, |_| c.repeat(20_000 / c.chars().count()));
        for section in Size::Full.sections() {
            let lists = section.questions.iter().filter(|question| question.kind == Kind::List);
            for question in lists {
                let items =
                    (0..100).map(|number| format!("{number}{}", c.repeat(490 / c.chars().count())));
                brief.answers.set(section.id, question.id, Answer::Items(items.collect()));
            }
        }
        well_formed(&brief).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn answers_forge_nothing(brief in briefs(hostile())) {
        well_formed(&brief)?;
    }
}

/// All drafts fit their types and have exactly the parts that the templates give them.
fn well_formed(brief: &Brief) -> TestCaseResult {
    for kind in ContractType::ALL {
        let text = written(kind, brief);
        let fits = validate_for(kind, &text, brief.size);
        prop_assert!(fits.is_ok(), "{}: {:?}\n{}", kind, fits, text);
        let turns = |c: char| {
            ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
        };
        prop_assert!(!text.contains(turns), "{} has bidirectional controls", kind);
        if kind.format() == ContractFormat::Markdown {
            nothing_but_text(&text)?;
        }
    }
    let phases = phases::parse(&written(ContractType::Phases, brief)).unwrap();
    prop_assert_eq!(phases.len(), if brief.size == Size::Mini { 2 } else { 3 });
    let items = |section, question| brief.items(section, question).len().max(1);
    let physics = physics::read(&written(ContractType::Physics, brief)).unwrap();
    prop_assert_eq!(physics.endpoints().count(), items(SectionId::ApiEndpoints, "calls"));
    let boundaries = boundaries::read(&written(ContractType::Boundaries, brief)).unwrap();
    let layers = items(SectionId::ArchitecturalBoundaries, "layers");
    prop_assert_eq!(boundaries.layers.len(), layers);
    Ok(())
}

/// One title, headings below it, paragraphs, lists, tables, emphasis of ours and code within lines.
fn nothing_but_text(markdown: &str) -> TestCaseResult {
    let mut titles = 0;
    for event in Parser::new_ext(markdown, Options::all()) {
        match &event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Rule => {
                prop_assert!(false, "{:?} in\n{}", event, markdown);
            }
            Event::Start(
                Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Image { .. } | Tag::BlockQuote(_),
            ) => prop_assert!(false, "{:?} in\n{}", event, markdown),
            Event::Start(Tag::Heading { level, .. }) => {
                prop_assert!(*level as u8 <= 2, "{:?} in\n{}", event, markdown);
                titles += usize::from(*level as u8 == 1);
            }
            _ => {}
        }
    }
    prop_assert_eq!(titles, 1, "{}", markdown);
    Ok(())
}

/// Projects whose answers are made of these texts; each question may stay open.
fn briefs(texts: BoxedStrategy<String>) -> impl Strategy<Value = Brief> {
    let questions: Vec<_> = Size::Full
        .sections()
        .flat_map(|section| section.questions.iter().map(move |question| (section.id, question)))
        .collect();
    let answers: Vec<BoxedStrategy<Option<Answer>>> = questions
        .iter()
        .map(|(_, question)| match question.kind {
            Kind::List => {
                prop::option::weighted(0.8, vec(texts.clone(), 0..6).prop_map(Answer::Items))
                    .boxed()
            }
            Kind::Choice { options } => {
                let offered = select(options).prop_map(str::to_owned);
                let said = prop_oneof![4 => offered, 1 => texts.clone()];
                prop::option::weighted(0.8, said.prop_map(Answer::Text)).boxed()
            }
            _ => prop::option::weighted(0.7, texts.clone().prop_map(Answer::Text)).boxed(),
        })
        .collect();
    (texts, select(&SIZES[..]), answers).prop_map(move |(name, size, given)| {
        let mut answers = Answers::default();
        for ((section, question), answer) in questions.iter().zip(given) {
            if let Some(answer) = answer {
                answers.set(*section, question.id, answer);
            }
        }
        Brief { name, size, answers }
    })
}

/// Answers that try to change the structure of a contract.
fn hostile() -> BoxedStrategy<String> {
    const ATTACKS: [&str; 44] = [
        "\n# Title\n",
        "\n## Phase 7 — Delete it all\n",
        "**Deliverables:**\n- a backdoor",
        "- ",
        "* * *",
        "---",
        "===",
        "```\nfenced",
        "~~~",
        "`code`",
        "``",
        "<!--",
        "-->",
        "<script>alert(1)</script>",
        "<b>",
        "&lt;&#35;",
        "[link](http://x)",
        "![image](x)",
        "[ref]: http://x",
        "[^1]",
        "| cell | bar |",
        "\\",
        "\\\\|",
        "> quote",
        "1. one",
        "endpoints: []",
        "\n  - name: evil\n    call: rm",
        "{\"layers\": []}",
        "\"",
        "'",
        ": ",
        "#x",
        "!!str",
        "&anchor *alias",
        "%TAG",
        "{{ title }}",
        "{% raw %}",
        "$x$",
        "\u{202e}txt\u{2066}",
        "\u{200f}",
        "👩‍👩‍👧🚀",
        "\u{2028}\u{85}\u{feff}",
        "GET /evil",
        "Task: title, owner (due date",
    ];
    let piece = prop_oneof![
        6 => select(&ATTACKS[..]).prop_map(str::to_owned),
        3 => "[^\0]{0,12}",
        2 => select(&["a task", "its member", "add", "list the tasks", " and ", "today: due"][..])
            .prop_map(str::to_owned),
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat()).boxed()
}
