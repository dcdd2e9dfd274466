import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ProjectRole } from "@/domain/project-access";
import type { Project } from "@/lib/api";
import { OwnerOnly } from "./owner-only";

const project = (role: Project["role"]) => ({ role, owner: { id: "u1", name: "Ada" } }) as Project;
const controls = <OwnerOnly instead={<p>Only Ada can</p>}>Pause</OwnerOnly>;

it("renders nothing while the project is loading, then what the role allows", () => {
  const page = (value: Project | null) => <ProjectRole value={value}>{controls}</ProjectRole>;
  const { container, rerender } = render(page(null));
  expect(container).toBeEmptyDOMElement();
  rerender(page(project("viewer")));
  expect(container).toHaveTextContent("Only Ada can");
  rerender(page(project("owner")));
  expect(container).toHaveTextContent("Pause");
});

it("renders its children outside the pages of a project", () => {
  render(controls);
  expect(screen.getByText("Pause")).toBeVisible();
});
