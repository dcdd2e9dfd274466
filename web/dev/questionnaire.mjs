// A short questionnaire for the mock server: one question of each kind.
const question = (id, label, kind, required = false) => ({
  id,
  label,
  help: "What helps to answer it.",
  example: kind.options?.[1] ?? "An answer about another product.",
  kind,
  required,
});
const SECTIONS = [
  {
    id: "product_intent",
    title: "Product",
    about: "What should be built, for whom, and why.",
    questions: [
      question("summary", "What should it do?", { type: "text" }, true),
      question("features", "What must they be able to do?", { type: "list" }, true),
    ],
  },
  {
    id: "tech_stack",
    title: "Technology",
    about: "Languages, frameworks and libraries.",
    questions: [
      question(
        "language",
        "Which programming language?",
        { type: "choice", options: ["No preference", "Python", "Go"] },
        true,
      ),
    ],
  },
  {
    id: "dev_platform",
    title: "Development",
    about: "How it is developed and tested.",
    questions: [question("test_command", "Which command runs the tests?", { type: "line" })],
  },
];
const FIRST = { size: "full", answers: {}, version: 0, updated_at: null };

/** A project's answers in the form of the API. */
export function questionnaire({ size, answers, version, updated_at } = FIRST) {
  const sections = SECTIONS.filter(({ id }) => size === "full" || id !== "tech_stack");
  const asked = sections.flatMap((section) =>
    section.questions.map(({ id, required }) => ({ section: section.id, question: id, required })),
  );
  const open = asked.filter(({ section, question }) => !answers[section]?.[question]);
  return {
    size,
    sections,
    answers,
    version,
    updated_at,
    progress: {
      answered: asked.length - open.length,
      questions: asked.length,
      missing: open
        .filter(({ required }) => required)
        .map(({ section, question }) => ({ section, question })),
    },
  };
}

/** What the repository of every project suggests. */
export const SUGGESTED_ANSWERS = {
  sha: "9f2c4e7a1b3d5f60718293a4b5c6d7e8f9012345",
  branch: "main",
  items: [
    {
      section: "product_intent",
      question: "summary",
      answer: "Tally counts the votes of a club and prints a report for each meeting.",
      path: "README.md",
      line: 3,
      excerpt: "Tally counts the votes of a club and prints a report",
    },
    {
      section: "tech_stack",
      question: "language",
      answer: "Python",
      path: "pyproject.toml",
      line: 1,
      excerpt: "[project]",
    },
    {
      section: "dev_platform",
      question: "test_command",
      answer: "pytest -q",
      path: ".github/workflows/test.yml",
      line: 14,
      excerpt: "- run: pytest -q",
    },
  ],
};
