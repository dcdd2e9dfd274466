import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { CommandLine } from "./command-line";

function setUp(asking = false, answer = true) {
  const onSubmit = vi.fn(async () => answer);
  renderInApp(<CommandLine asking={asking} onSubmit={onSubmit} />);
  return { onSubmit, input: screen.getByRole("combobox"), user: userEvent.setup() };
}

it("answers with Enter and empties the line", async () => {
  const { onSubmit, input, user } = setUp(true);
  await user.type(input, "By priority{Enter}");
  expect(onSubmit).toHaveBeenCalledExactlyOnceWith({ kind: "text", text: "By priority" });
  expect(input).toHaveValue("");
});

it("keeps what was typed when it could not be sent", async () => {
  const { input, user } = setUp(true, false);
  await user.type(input, "By priority{Enter}");
  expect(input).toHaveValue("By priority");
});

it("offers commands, chosen with the arrows and Enter", async () => {
  const { onSubmit, input, user } = setUp();
  await user.type(input, "/");
  expect(screen.getAllByRole("option")).toHaveLength(5);
  await user.keyboard("{ArrowDown}{Enter}");
  expect(onSubmit).toHaveBeenCalledWith({ kind: "command", name: "resume", rest: "" });
});

it("completes a command that wants words, and closes the list with Escape", async () => {
  const { onSubmit, input, user } = setUp();
  await user.type(input, "/in{Enter}");
  expect(input).toHaveValue("/interject ");
  expect(onSubmit).not.toHaveBeenCalled();
  await user.clear(input);
  await user.type(input, "/p{Escape}");
  expect(screen.queryByRole("listbox")).not.toBeInTheDocument();
  expect(input).toHaveValue("/p");
});

it("keeps and sends what is typed while the line before is on its way", async () => {
  const answers: ((sent: boolean) => void)[] = [];
  const onSubmit = vi.fn((_: unknown) => new Promise<boolean>((answer) => answers.push(answer)));
  renderInApp(<CommandLine asking={false} busy onSubmit={onSubmit} />);
  const line = screen.getByRole("combobox");
  await userEvent.type(line, "first{Enter}second");
  answers[0]?.(true);
  await userEvent.type(line, "{Enter}");
  expect(onSubmit.mock.calls.map(([parsed]) => parsed)).toEqual([
    { kind: "text", text: "first" },
    { kind: "text", text: "second" },
  ]);
  answers[1]?.(false);
  await waitFor(() => expect(line).toHaveValue("second"));
});
