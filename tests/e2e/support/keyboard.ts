import { expect, type Locator } from "@playwright/test";

/** Presses a key on a control as soon as it is enabled: Playwright would press it on a disabled one too. */
export async function press(control: Locator, key: string): Promise<void> {
  await expect(control).toBeEnabled();
  // biome-ignore lint/plugin: this is the function to use instead.
  await control.press(key);
}
