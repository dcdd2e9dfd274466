// Prints measurements in the format of the benchmarks.
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

interface Measure {
  name: string;
  value: number;
  /** The upper limit. */
  target?: number;
  unit: string;
}

export const measure = (of: Measure) => ({ type: "measure", description: JSON.stringify(of) });

export default class Table implements Reporter {
  private readonly rows = [["measure", "value", "target", ""]];

  onTestEnd({ title }: TestCase, { annotations, errors }: TestResult): void {
    for (const { type, description } of annotations) {
      if (type !== "measure") continue;
      const { name, value, target, unit } = JSON.parse(description ?? "") as Measure;
      const shown = `${value.toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
      const verdict = target === undefined ? "" : value <= target ? "ok" : "MISS";
      this.rows.push([name, shown, target === undefined ? "" : `≤ ${target} ${unit}`, verdict]);
    }
    for (const { message } of errors) console.error(`${title}: ${message}`);
  }

  onEnd(): void {
    const widths = [0, 1, 2, 3].map((at) =>
      Math.max(...this.rows.map((row) => row[at]?.length ?? 0)),
    );
    const lines = this.rows.map((row) =>
      row
        .map((cell, at) =>
          at === 1 || at === 2 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    );
    lines.splice(1, 0, "─".repeat(widths.reduce((sum, width) => sum + width, 6)));
    console.log(`\n${lines.join("\n")}`);
  }
}
