// Repositories of projects, pushed with the real git.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Api } from "./api";

const run = promisify(execFile);

/** Pushes files, by their paths, as the only commit of the default branch. */
export async function pushFiles(
  address: string,
  api: Api,
  project: string,
  files: Record<string, string>,
): Promise<void> {
  const { key } = await api.post<{ key: string }>("/api/forge-keys", { name: "git" });
  const folder = await mkdtemp(join(tmpdir(), "forgeguard-e2e-"));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...flags: string[]) => run("git", flags, { cwd: folder, env });
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await git("init", "-q", "-b", "main");
    await git("add", "-A");
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    await git(...author, "commit", "-q", "-m", "All files");
    const url = `${address.replace("http://", `http://git:${key}@`)}/git/${project}.git`;
    await git("push", "-q", url, "main");
  } finally {
    await rm(folder, { recursive: true });
  }
}
