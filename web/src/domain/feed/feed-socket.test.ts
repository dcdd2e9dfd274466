import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FeedSocket } from "./feed-socket";

/** A connection that opens immediately and sends what the test passes to it. */
class Connection extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static all: Connection[] = [];
  readyState = 0;
  binaryType = "blob";
  sent: string[] = [];

  constructor() {
    super();
    Connection.all.push(this);
    queueMicrotask(() => {
      this.readyState = 1;
      this.dispatchEvent(new Event("open"));
    });
  }

  send(text: string) {
    this.sent.push(text);
  }

  // A dead connection does not report that it is closed.
  close() {
    this.readyState = 2;
  }

  say(frame: object) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  Connection.all = [];
  vi.stubGlobal("WebSocket", Connection);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function follow() {
  const nothing = () => {};
  return new FeedSocket().subscribe("b1", {
    cursor: () => 7,
    onEvent: nothing,
    onPreview: nothing,
    onLink: nothing,
    onReset: nothing,
    onGone: nothing,
  });
}

const asked = () => Connection.all.map(({ sent }) => sent.filter((text) => /subscribe/.test(text)));

it("replaces a silent connection and continues after its cursor", async () => {
  const leave = follow();
  await vi.advanceTimersByTimeAsync(40_000);
  Connection.all[0]?.say({ op: "ping" });
  await vi.advanceTimersByTimeAsync(40_000);
  expect(Connection.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(asked()).toEqual([
    [expect.stringContaining('"after":7')],
    [expect.stringContaining('"after":7')],
  ]);
  leave();
});

it("reconnects immediately when the network is back", async () => {
  const leave = follow();
  await vi.advanceTimersByTimeAsync(1_000);
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(Connection.all).toHaveLength(2);
  leave();
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(Connection.all).toHaveLength(2);
});
