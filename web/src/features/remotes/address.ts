// Addresses of repositories, as far as the form needs them. The server checks them.

/** Whether git uses SSH for the address. */
export const isSsh = (address: string) =>
  address.startsWith("ssh://") || /^[\w.-]+@[\w.-]+:/.test(address);

/** The host, with its port if the address has one; empty if there is none yet. */
export function hostOf(address: string): string {
  const text = address.trim();
  const short = /^[\w.-]+@([\w.-]+):/.exec(text);
  if (short) return short[1]?.toLowerCase() ?? "";
  try {
    return new URL(text).host || (/^ssh:\/\/(?:[^@/]*@)?([^/]+)/.exec(text)?.[1] ?? "");
  } catch {
    return "";
  }
}

/** The permissions that a token needs, as the server names them. */
export function tokenScopes(host: string): string {
  if (host === "github.com")
    return "A fine-grained token for this repository with Contents: read and write, and Pull requests: read and write. Reading alone needs Contents: read.";
  if (host.split(".").includes("gitlab"))
    return "A project access token with read_repository and write_repository, and api for merge requests. Reading alone needs read_repository.";
  if (host === "codeberg.org" || host.includes("gitea") || host.includes("forgejo"))
    return "A token with repository: read and write. Reading alone needs repository: read.";
  return "A token that may read the repository, and write it if builds are delivered there.";
}
