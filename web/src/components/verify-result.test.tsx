import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderInApp } from "@/testing/render";
import { VerifyResult } from "./verify-result";

const found = { events: 1204, head_hash: "ab12cd34" };

it("says that the chain is intact, and where it ends", () => {
  renderInApp(<VerifyResult found={{ ...found, ok: true, problems: [] }} />);
  expect(screen.getByText("The chain of 1,204 events is intact.")).toBeInTheDocument();
  expect(screen.getByText("ab12cd34")).toBeInTheDocument();
});

it("names the first record that does not fit", () => {
  const problems = [
    { seq: 17, what: "its hash is not that of its content" },
    { seq: 18, what: "it does not follow the one before it" },
    { seq: null, what: "the seal names another head" },
  ];
  renderInApp(<VerifyResult found={{ ...found, ok: false, problems }} />);
  expect(screen.getByText("Event 17 is the first that does not fit:")).toBeInTheDocument();
  expect(screen.getByText("its hash is not that of its content")).toBeInTheDocument();
  expect(screen.getByText("And 2 more findings.")).toBeInTheDocument();
  expect(screen.queryByText(/intact/)).not.toBeInTheDocument();
});

it("says what does not fit also when it is no event", () => {
  const problems = [{ seq: null, what: "the branch has moved since it was sealed" }];
  renderInApp(<VerifyResult found={{ ...found, ok: false, problems }} />);
  expect(screen.getByText("Something does not fit:")).toBeInTheDocument();
  expect(screen.getByText("the branch has moved since it was sealed")).toBeInTheDocument();
});
