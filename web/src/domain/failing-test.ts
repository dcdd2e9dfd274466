// Splits the message of a failing test or another error into what each part of it tells.

export interface Failure {
  /** The name of the test, or the first line. */
  title: string;
  /** Why it failed. */
  reason: string | null;
  expected: string | null;
  actual: string | null;
  /** All other lines. */
  output: string;
}

/** The parts of a comparison in one line: `expected 20 to be 30`, `20 !== 30`, `assert 20 == 30`. */
const COMPARISONS: RegExp[] = [
  /^(?:AssertionError: )?expected (?<actual>.+?) to (?:be|equal|deeply equal|strictly equal|match) (?<expected>.+?)(?: \/\/ .*)?$/,
  /^(?<reason>Expected values to be (?:strictly |loosely )?(?:deep-)?equal): (?<actual>.+?) (?:!==?|!=) (?<expected>.+)$/,
  /^(?:AssertionError: )?assert (?<actual>.+?) == (?<expected>.+)$/,
];

const EXPECTED = /^\s*(?:expected|right|want)\s*(?:value)?:\s*(\S.*)$/i;
const ACTUAL = /^\s*(?:actual|received|left|got)\s*(?:value)?:\s*(\S.*)$/i;

/** A test's name may contain colons, but no colon and space except before the reason. */
const NAME_AND_REASON = /^(?<name>[^\n]+?): (?<reason>[^\n]+)$/;

export function failureOf(message: string): Failure {
  const [first = "", ...rest] = message.split("\n");
  const named = NAME_AND_REASON.exec(first)?.groups;
  const comparison = comparisonOf(named?.reason ?? first);
  const other = linesOf(rest);
  const expected = comparison?.expected ?? other.expected;
  const actual = comparison?.actual ?? other.actual;
  // An error that compares nothing is one sentence.
  if (expected === null || actual === null) {
    return { title: first, reason: null, expected, actual, output: rest.join("\n") };
  }
  return {
    title: named?.name ?? first,
    reason: comparison ? comparison.reason : (named?.reason ?? null),
    expected,
    actual,
    output: comparison ? rest.join("\n") : other.lines.join("\n"),
  };
}

function comparisonOf(line: string) {
  for (const pattern of COMPARISONS) {
    const groups = pattern.exec(line)?.groups;
    if (groups?.expected === undefined || groups.actual === undefined) continue;
    return { expected: groups.expected, actual: groups.actual, reason: groups.reason ?? null };
  }
  return null;
}

/** The lines that state what was expected and what was not, and all others. */
function linesOf(rest: string[]) {
  let expected: string | null = null;
  let actual: string | null = null;
  const lines = rest.filter((line) => {
    const [, wanted] = EXPECTED.exec(line) ?? [];
    const [, got] = ACTUAL.exec(line) ?? [];
    if (wanted !== undefined && expected === null) expected = wanted;
    else if (got !== undefined && actual === null) actual = got;
    else return true;
    return false;
  });
  return expected !== null && actual !== null
    ? { expected, actual, lines }
    : { expected: null, actual: null, lines: rest };
}
