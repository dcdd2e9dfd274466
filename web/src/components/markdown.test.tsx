import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderInApp } from "@/testing/render";
import Markdown from "./markdown";

it("ranks headings of the text below the title of the page", () => {
  renderInApp(<Markdown text={"# Phases\n\n## Due dates"} />);
  expect(screen.getByRole("heading", { name: "Phases", level: 2 })).toBeInTheDocument();
  expect(screen.getByRole("heading", { name: "Due dates", level: 3 })).toBeInTheDocument();
});
