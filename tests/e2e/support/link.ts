// The page's WebSocket connection, which a test can close or silence.
import type { Page, WebSocketRoute } from "@playwright/test";

interface Frame {
  op: string;
  event?: { seq: number };
}

export class Link {
  /** The number of connections that the page began. */
  begun = 0;
  /** The number of confirmed connections. */
  confirmed = 0;
  /** The number of event frames that reached the page. */
  brought = 0;
  private page: WebSocketRoute | undefined;
  private server: WebSocketRoute | undefined;
  private dead = new Set<WebSocketRoute>();

  /** Call before opening the page. */
  static async of(page: Page): Promise<Link> {
    const link = new Link();
    await page.routeWebSocket("**/api/ws", (socket) => link.join(socket));
    return link;
  }

  /** Closes the connection on both sides; messages in flight are lost. */
  async cut(): Promise<void> {
    const [page, server] = [this.page, this.server];
    if (page) this.dead.add(page);
    await page?.close({ code: 3_000 });
    await server?.close({ code: 3_000 });
  }

  /** Drops all messages silently. */
  die(): void {
    if (this.page) this.dead.add(this.page);
  }

  private join(page: WebSocketRoute): void {
    const server = page.connectToServer();
    const unlessDead = (act: () => void) => {
      if (!this.dead.has(page)) act();
    };
    [this.page, this.server] = [page, server];
    this.begun += 1;
    page.onMessage((text) => unlessDead(() => server.send(text)));
    server.onMessage((text) =>
      unlessDead(() => {
        const { op } = JSON.parse(String(text)) as Frame;
        page.send(text);
        if (op === "event") this.brought += 1;
        if (op === "subscribed") this.confirmed += 1;
      }),
    );
    server.onClose((code, reason) => unlessDead(() => void page.close({ code, reason })));
  }
}
