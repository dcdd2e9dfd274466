import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { NewProject } from "./new-project";

beforeEach(() => sessionStorage.clear());

function show() {
  const startFromWords = vi.fn(async () => "/projects/p9/questionnaire/conversation");
  const onClose = vi.fn();
  renderWithCache(
    <NewProject
      opened
      onClose={onClose}
      startFromWords={startFromWords}
      connectForm={() => null}
    />,
  );
  return { startFromWords, onClose };
}
const describe = () =>
  userEvent.click(screen.getByRole("tab", { name: "Start from a description" }));
const name = () => screen.getByRole("textbox", { name: "Name" });
const words = () => screen.getByRole("textbox", { name: "Describe your project" });
const create = () => userEvent.click(screen.getByRole("button", { name: "Create project" }));
const answer = (status: number, body: object) =>
  vi.stubGlobal("fetch", async () => Response.json(body, { status }));

it("continues with the description and then forgets it", async () => {
  const { startFromWords, onClose } = show();
  await describe();
  await userEvent.type(name(), "Flock");
  await userEvent.type(words(), "It counts sheep.");
  answer(422, { status: 422, title: "No", fields: { name: "use other letters" } });
  await create();
  expect(await screen.findByText("use other letters")).toBeVisible();
  expect(startFromWords).not.toHaveBeenCalled();
  expect(sessionStorage.length).toBe(1);

  answer(201, { id: "p9" });
  await create();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(startFromWords).toHaveBeenCalledWith("p9", "It counts sheep.");
  expect(sessionStorage.length).toBe(0);
  expect(words()).toHaveValue("");
});

it("continues with the questionnaire without a description", async () => {
  const { startFromWords, onClose } = show();
  await describe();
  answer(201, { id: "p9" });
  await create();
  expect(await screen.findByText("Enter a name")).toBeVisible();
  await userEvent.type(name(), "Flock");
  await create();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(startFromWords).not.toHaveBeenCalled();
});
