// Compares every screen with its stored screenshot: npm run screens. `npm run screens -- --update-snapshots` stores them.
import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

export default defineConfig(tests, {
  outputDir: "report/screens",
  snapshotPathTemplate: "screens/{arg}{ext}",
  expect: {
    // Texts that differ from run to run, such as times and ids, are few pixels.
    toHaveScreenshot: { maxDiffPixelRatio: 0.01 },
  },
  // A quarter of the size: letters are blurred, so that fonts matter little, and files are small.
  use: { deviceScaleFactor: 0.25 },
});
