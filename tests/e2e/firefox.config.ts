// The main flows in Firefox, over WebDriver BiDi: npm run firefox.
import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

export default defineConfig(tests, { testDir: "firefox", outputDir: "report/firefox" });
