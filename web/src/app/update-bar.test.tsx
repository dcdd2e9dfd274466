import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { UpdateBar } from "./update-bar";

const serve = (script: string) =>
  vi.stubGlobal(
    "fetch",
    async () => new Response(`<script async type="module" crossorigin src="${script}"></script>`),
  );

beforeEach(() => {
  const script = document.createElement("script");
  script.type = "module";
  script.setAttribute("src", "/assets/index-one.js");
  document.head.replaceChildren(script);
});

it("offers a reload as soon as a file of the running version is gone", async () => {
  serve("/assets/index-one.js");
  const reload = vi.fn();
  renderWithCache(<UpdateBar reload={reload} />);
  expect(screen.getByRole("status")).toBeEmptyDOMElement();
  serve("/assets/index-two.js");
  window.dispatchEvent(new Event("vite:preloadError"));
  await userEvent.click(await screen.findByRole("button", { name: "Reload" }));
  expect(reload).toHaveBeenCalledOnce();
});
