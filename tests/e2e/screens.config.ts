// Compares every screen with its stored screenshot: npm run screens. With --update-snapshots, it stores them.
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

const specs = readdirSync("specs").filter((name) =>
  readFileSync(`specs/${name}`, "utf8").includes("inspect("),
);

export default defineConfig(tests, {
  testMatch: specs,
  outputDir: "report/screens",
  snapshotPathTemplate: "screens/{arg}{ext}",
  expect: {
    // Texts that differ from run to run, such as times and ids, are few pixels.
    toHaveScreenshot: { maxDiffPixelRatio: 0.005 },
  },
  // A quarter of the size: letters are blurred, so that fonts matter little, and files are small.
  use: { deviceScaleFactor: 0.25 },
});
