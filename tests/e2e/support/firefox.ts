// Pages in the system's Firefox. Playwright drives only a Firefox of its own, so Puppeteer does it.
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import type { Person } from "./api";
import { test as base } from "./fixtures";

const PROGRAM = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

/** A page, whose elements are found by role and name. */
export class FirefoxPage {
  constructor(
    readonly page: Page,
    private readonly address: string,
  ) {}

  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.address).href);
  }

  async sees(role: string, name: string): Promise<void> {
    await this.element(role, name).wait();
  }

  async reads(text: string): Promise<void> {
    await this.page.locator(`::-p-text(${text})`).wait();
  }

  async click(role: string, name: string): Promise<void> {
    await this.element(role, name).click();
  }

  async fill(role: string, name: string, text: string): Promise<void> {
    await this.element(role, name).fill(text);
  }

  async fillPassword(text: string): Promise<void> {
    await this.page.locator("input[type=password]").fill(text);
  }

  async signIn({ email, password }: Person): Promise<void> {
    await this.open("/sign-in");
    await this.fill("textbox", "Email", email);
    await this.fillPassword(password);
    await this.click("button", "Sign in");
    await this.sees("heading", "Projects");
  }

  private element(role: string, name: string) {
    return this.page.locator(`::-p-aria([role="${role}"][name="${name}"])`);
  }
}

interface Fixtures {
  /** Opens a page with cookies of its own. */
  newPage: () => Promise<FirefoxPage>;
}

/** Tests in Firefox. */
export const test = base.extend<Fixtures, { firefox: Browser }>({
  firefox: [
    // biome-ignore lint/correctness/noEmptyPattern: it needs nothing
    async ({}, use) => {
      const browser = await puppeteer.launch({ browser: "firefox", executablePath: PROGRAM });
      await use(browser);
      await browser.close();
    },
    { scope: "worker" },
  ],
  newPage: async ({ firefox, server }, use, info) => {
    const pages: Page[] = [];
    await use(async () => {
      const page = await (await firefox.createBrowserContext()).newPage();
      page.setDefaultTimeout(60_000);
      await page.setViewport({ width: 1280, height: 800 });
      pages.push(page);
      return new FirefoxPage(page, server.address);
    });
    for (const page of pages) {
      if (info.status !== info.expectedStatus) {
        await info.attach("page", {
          body: Buffer.from(await page.screenshot()),
          contentType: "image/png",
        });
      }
      await page.browserContext().close();
    }
  },
});
