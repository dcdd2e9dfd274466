/** A client of the MCP server, and how to connect it. */
export interface EditorSnippet {
  id: string;
  label: string;
  /** Where the text belongs. */
  where: string;
  text: string;
}

const KEY = "FORGEGUARD_KEY";

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** The configuration of each client for a server. The key stays in the environment where the client supports that. */
export function editorSnippets(origin: string): EditorSnippet[] {
  const url = `${origin}/mcp`;
  return [
    {
      id: "claude",
      label: "Claude Code",
      where: "Run in a terminal",
      text: `claude mcp add --transport http forgeguard ${url} --header "Authorization: Bearer $${KEY}"`,
    },
    {
      id: "codex",
      label: "Codex",
      where: "Add to ~/.codex/config.toml",
      text: `[mcp_servers.forgeguard]\nurl = "${url}"\nbearer_token_env_var = "${KEY}"`,
    },
    {
      id: "opencode",
      label: "opencode",
      where: "Add to opencode.json",
      text: json({
        mcp: {
          forgeguard: {
            type: "remote",
            url,
            oauth: false,
            headers: { Authorization: `Bearer {env:${KEY}}` },
          },
        },
      }),
    },
    {
      id: "cursor",
      label: "Cursor",
      where: "Add to .cursor/mcp.json",
      text: json({
        mcpServers: {
          forgeguard: { url, headers: { Authorization: `Bearer \${env:${KEY}}` } },
        },
      }),
    },
    {
      id: "vscode",
      label: "VS Code",
      where: "Add to .vscode/mcp.json",
      text: json({
        inputs: [
          { type: "promptString", id: "forge-key", description: "Forge key", password: true },
        ],
        servers: {
          forgeguard: {
            type: "http",
            url,
            headers: { Authorization: `Bearer \${input:forge-key}` },
          },
        },
      }),
    },
    {
      id: "zed",
      label: "Zed",
      where: "Add to settings.json, with your key",
      text: json({
        context_servers: {
          forgeguard: { url, headers: { Authorization: "Bearer fgk_…" } },
        },
      }),
    },
  ];
}
