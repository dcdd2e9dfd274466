import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { DiffFile } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { type ChangeSource, useViewedFiles } from "./change-source";

afterEach(() => vi.unstubAllGlobals());

const FILE = { path: "a.js", content_id: "c1" } as DiffFile;

function Viewed({ of }: { of: ChangeSource["of"] }) {
  const { isViewed, setViewed } = useViewedFiles({ of, build: "b1", commit: null });
  return (
    <button type="button" onClick={() => setViewed(FILE, true)}>
      {isViewed(FILE) ? "viewed" : "new"}
    </button>
  );
}

it.each(["builds", "reviews"] as const)(
  "shows at once that a file of %s was viewed, with a request that outlives the page",
  async (of) => {
    const sent: { url: string; keepalive: boolean }[] = [];
    vi.stubGlobal("fetch", async (request: Request) => {
      if (request.method === "GET") return Response.json({ items: [] });
      sent.push({ url: new URL(request.url).pathname, keepalive: request.keepalive });
      return new Promise<Response>(() => {});
    });
    renderWithCache(<Viewed of={of} />);
    await userEvent.click(screen.getByRole("button", { name: "new" }));
    await screen.findByRole("button", { name: "viewed" });
    const request = { url: `/api/${of}/b1/viewed-files`, keepalive: true };
    await waitFor(() => expect(sent).toEqual([request]));
  },
);
