import { expect, test } from "vitest";
import { browserName } from "./browser-name";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 Edg/156.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Safari/604.1",
    "Safari on iOS",
  ],
  ["curl/8.9.1", "curl"],
  ["python-requests/2.32", "python-requests/2.32"],
  ["", "Unknown client"],
])("%s is %s", (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
