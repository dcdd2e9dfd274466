import { screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { ReviewFiles } from "./review-files";

const COMMIT = "9876543210";
let requested: string[];

beforeEach(() => {
  requested = [];
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const { pathname, search } = new URL(url);
    requested.push(pathname + search);
    const files = [{ path: "README.md" }, { path: "LICENSE" }];
    return Response.json({ commit: COMMIT, files, truncated: false });
  });
});

it("lists the files of the sealed commit for its reviewer", async () => {
  renderWithCache(<ReviewFiles buildId="b1" commit={COMMIT} path="" />);
  expect(await screen.findByText("2 files")).toBeVisible();
  expect(screen.getByRole("link", { name: "Review" })).toHaveAttribute("href", "/reviews/b1");
  expect(screen.queryByRole("combobox", { name: "Commit" })).toBeNull();
  expect(requested).toEqual([`/api/reviews/b1/tree?commit=${COMMIT}`]);
});
