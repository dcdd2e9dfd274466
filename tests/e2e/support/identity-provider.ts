// A fake OpenID Connect provider: its page has one button, which sends the browser back.
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const CLIENT = { id: "forgeguard", secret: "client-secret-of-the-test" };

interface Requested {
  nonce: string;
  code_challenge: string;
}

const base64url = (text: string | Buffer) => Buffer.from(text).toString("base64url");

export class IdentityProvider {
  /** The person who signs in. */
  person = { sub: "1", email: "admin@example.org", email_verified: true, name: "Ada" };
  private readonly keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  private readonly codes = new Map<string, Requested>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<IdentityProvider> {
    const server = createServer();
    const provider = new IdentityProvider(server);
    server.on("request", (request, response) => void provider.answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const gone = once(this.server, "close");
    this.server.close();
    this.server.closeAllConnections();
    await gone;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", this.url);
    if (pathname === "/authorize") return this.authorize(searchParams, response);
    const reply = await this.reply(pathname, request);
    const status = reply ? ("error" in reply ? 400 : 200) : 404;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(reply ?? {}));
  }

  private async reply(path: string, request: IncomingMessage): Promise<object | null> {
    const { url } = this;
    if (path === "/.well-known/openid-configuration") {
      return {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      };
    }
    if (path === "/keys") {
      const key = this.keys.publicKey.export({ format: "jwk" });
      return { keys: [{ ...key, use: "sig", alg: "RS256", kid: "1" }] };
    }
    if (path !== "/token") return null;
    let body = "";
    for await (const part of request) body += part;
    const form = new URLSearchParams(body);
    const requested = this.codes.get(form.get("code") ?? "");
    const verifier = form.get("code_verifier") ?? "";
    const challenge = base64url(createHash("sha256").update(verifier).digest());
    if (requested?.code_challenge !== challenge) return { error: "invalid_grant" };
    return { access_token: "a", token_type: "Bearer", id_token: this.idToken(requested.nonce) };
  }

  /** Two links instead of a form. */
  private authorize(query: URLSearchParams, response: ServerResponse): void {
    const back = (values: Record<string, string>) => {
      const url = new URL(query.get("redirect_uri") ?? "");
      url.search = new URLSearchParams({ state: query.get("state") ?? "", ...values }).toString();
      return url.href.replaceAll("&", "&amp;");
    };
    const code = randomUUID();
    this.codes.set(code, Object.fromEntries(query) as unknown as Requested);
    response.writeHead(200, { "content-type": "text/html" });
    response.end(
      `<a href="${back({ code })}">Allow</a> <a href="${back({ error: "access_denied" })}">Deny</a>`,
    );
  }

  private idToken(nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { ...this.person, iss: this.url, aud: CLIENT.id, nonce, iat: now };
    const header = base64url(JSON.stringify({ alg: "RS256", typ: "JWT", kid: "1" }));
    const text = `${header}.${base64url(JSON.stringify({ ...claims, exp: now + 300 }))}`;
    return `${text}.${base64url(sign("sha256", Buffer.from(text), this.keys.privateKey))}`;
  }
}
