// Browser tests against the real program in the system's Chromium. Each test has its own server.
import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { defineConfig, devices } from "@playwright/test";
import type { ServerOptions } from "./support/fixtures";

// The headless shell is the same engine without windows, and needs a fifth less CPU time.
const BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const executablePath =
  process.env.CHROMIUM ??
  BROWSERS.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));

export default defineConfig<ServerOptions>({
  testDir: "specs",
  outputDir: "report/results",
  reporter: [
    ["list"],
    ["html", { outputFolder: "report/html", open: "never" }],
    ["./support/failure-summary.ts"],
  ],
  fullyParallel: true,
  // Tests wait for processes about half of the time.
  workers: Math.ceil(cpus().length * 1.5),
  timeout: 300_000,
  expect: { timeout: 30_000 },
  forbidOnly: !!process.env.CI,
  use: {
    ...devices["Desktop Chrome"],
    // Reports a missing element at once instead of at the end of the test.
    actionTimeout: 60_000,
    // Pictures and snapshots for the trace take a sixth of the time: TRACE=1 adds them.
    trace: {
      mode: "retain-on-failure",
      screenshots: !!process.env.TRACE,
      snapshots: !!process.env.TRACE,
    },
    screenshot: "only-on-failure",
    contextOptions: { reducedMotion: "reduce" },
    locale: "en-GB",
    launchOptions: {
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
