import { expect, it } from "vitest";
import { paths, rememberSlugs } from "./paths";

it("links to a project by its slug as soon as that is known", () => {
  const id = "0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a";
  expect(paths.build(id, 3, "changes")).toBe(`/projects/${id}/builds/3?tab=changes`);
  rememberSlugs([{ id, slug: "shelf" }]);
  expect(paths.build(id, 3)).toBe("/projects/shelf/builds/3");
  expect(paths.repository(id)).toBe("/git/shelf.git");
  expect(paths.errors("shelf")).toBe("/projects/shelf/errors");
});
