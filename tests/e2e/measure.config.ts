// Browser benchmarks, run sequentially by `make bench`.
import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

export default defineConfig(tests, {
  testDir: "measure",
  outputDir: "report/measure",
  reporter: "./measure/table.ts",
  workers: 1,
  timeout: 120_000,
  use: { trace: "off", screenshot: "off" },
});
