// The page's WebSocket. It receives events; commands are sent over HTTP.
import { WebSocket as ReconnectingSocket } from "partysocket";
import { refreshSession } from "@/lib/refresh-session";
import type { FeedEvent, Preview } from "./event";

export interface Subscriber {
  /** The last received seq, used when reconnecting. */
  cursor: () => number;
  onEvent: (event: FeedEvent) => void;
  onPreview: (preview: Preview) => void;
  onLink: (live: boolean) => void;
  onReset: () => void;
  onGone: () => void;
}

type Frame =
  | { op: "event"; event: FeedEvent }
  | ({ op: "preview"; build_id: string } & Preview)
  | { op: "subscribed"; build_id: string; head: number }
  | { op: "reset"; build_id: string; head: number }
  | { op: "error"; code: number; build_id?: string | null; message: string }
  | { op: "ping" };

/** The server pings every 15 s. A connection that is silent for three intervals is considered dead. */
const SILENCE_TIMEOUT_MS = 45_000;
const LISTEN_EVERY_MS = 5_000;

const CLOSE = { notSignedIn: 4001, notYours: 4003, noSuchBuild: 4004 };

export class FeedSocket {
  private socket: ReconnectingSocket | null = null;
  private readonly subscribers = new Map<string, Subscriber>();
  private receivedAt = 0;
  private watch: ReturnType<typeof setInterval> | undefined;

  subscribe(buildId: string, subscriber: Subscriber): () => void {
    this.subscribers.set(buildId, subscriber);
    if (this.socket) this.ask(buildId);
    else this.connect();
    return () => {
      if (this.subscribers.get(buildId) !== subscriber) return;
      this.subscribers.delete(buildId);
      this.send({ op: "unsubscribe", build_id: buildId });
      if (this.subscribers.size === 0) this.close();
    };
  }

  /** Requests everything after the subscriber's cursor again. */
  ask(buildId: string) {
    const after = this.subscribers.get(buildId)?.cursor();
    if (after !== undefined) this.send({ op: "subscribe", build_id: buildId, after });
  }

  private connect() {
    const url = () => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/ws`;
    const socket = new ReconnectingSocket(url, [], {
      minReconnectionDelay: 300,
      maxReconnectionDelay: 8_000,
      reconnectionDelayGrowFactor: 1.6,
      maxEnqueuedMessages: 0,
    });
    socket.addEventListener("open", () => {
      this.receivedAt = Date.now();
      for (const buildId of this.subscribers.keys()) this.ask(buildId);
    });
    socket.addEventListener("message", (message) => this.take(String(message.data)));
    socket.addEventListener("close", (event) => this.closed(event.code));
    this.socket = socket;
    this.receivedAt = Date.now();
    this.watch = setInterval(this.listen, LISTEN_EVERY_MS);
    window.addEventListener("online", this.reconnect);
  }

  /** Connections may be lost unnoticed while the machine sleeps or changes networks. */
  private readonly listen = () => {
    if (Date.now() - this.receivedAt > SILENCE_TIMEOUT_MS) this.reconnect();
  };

  private readonly reconnect = () => {
    this.receivedAt = Date.now();
    this.socket?.reconnect();
  };

  private take(text: string) {
    this.receivedAt = Date.now();
    const frame: Frame = JSON.parse(text);
    if (frame.op === "ping") return this.send({ op: "pong" });
    if (frame.op === "event")
      return this.subscribers.get(frame.event.build_id)?.onEvent(frame.event);
    const subscriber = frame.build_id ? this.subscribers.get(frame.build_id) : undefined;
    if (frame.op === "preview") subscriber?.onPreview(frame);
    else if (frame.op === "subscribed") subscriber?.onLink(true);
    else if (frame.op === "reset") subscriber?.onReset();
    else if (
      frame.build_id &&
      (frame.code === CLOSE.notYours || frame.code === CLOSE.noSuchBuild)
    ) {
      this.subscribers.delete(frame.build_id);
      subscriber?.onGone();
    }
  }

  private closed(code: number) {
    for (const subscriber of this.subscribers.values()) subscriber.onLink(false);
    if (code === CLOSE.notSignedIn) void this.renew();
    // The remaining builds are followed over a new connection.
    if (this.subscribers.size === 0) this.close();
  }

  private async renew() {
    this.close();
    const renewed = await refreshSession();
    if (this.subscribers.size === 0 || this.socket) return;
    if (renewed) this.connect();
    else setTimeout(() => this.subscribers.size > 0 && !this.socket && this.connect(), 8_000);
  }

  private send(frame: object) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  private close() {
    clearInterval(this.watch);
    window.removeEventListener("online", this.reconnect);
    this.socket?.close();
    this.socket = null;
  }
}

export const feedSocket = new FeedSocket();
