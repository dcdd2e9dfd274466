// Repeats the errors of failed tests at the end of the run, where a log that keeps only its last lines shows them.
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { FullConfig, Reporter, Suite, TestError } from "@playwright/test/reporter";

const MAX_LINES_PER_ERROR = 12;

export default class FailureSummary implements Reporter {
  private folder = "";
  private suite?: Suite;

  onBegin({ rootDir }: FullConfig, suite: Suite) {
    this.folder = rootDir;
    this.suite = suite;
  }

  onEnd() {
    const failed = this.suite?.allTests().filter((test) => test.outcome() === "unexpected") ?? [];
    for (const test of failed) {
      for (const error of test.results.flatMap(({ errors }) => errors)) {
        console.log(`\n${test.title}\n${this.describe(error)}`);
      }
    }
  }

  private describe({ message = "", location }: TestError): string {
    const lines = stripVTControlCharacters(message)
      .split("\n")
      .filter((line) => line.trim() !== "");
    const place = location && `at ${relative(this.folder, location.file)}:${location.line}`;
    return [...lines.slice(0, MAX_LINES_PER_ERROR), place ?? "at an unknown place"]
      .map((line) => `    ${line}`)
      .join("\n");
  }
}
