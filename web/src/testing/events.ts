// Journal events for tests.
import type { FeedEvent, Payload } from "@/domain/feed/event";

export const event = (seq: number, type = "build_log", payload: Payload = {}): FeedEvent => ({
  seq,
  build_id: "b1",
  at: "2026-11-21T20:25:00.000Z",
  type,
  payload,
  hash: `h${seq}`,
});

export const range = (from: number, to: number): FeedEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

export const seqs = (events: FeedEvent[]) => events.map(({ seq }) => seq);
