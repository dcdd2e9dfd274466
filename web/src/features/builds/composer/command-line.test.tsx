import { MantineProvider } from "@mantine/core";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ComponentProps, useState } from "react";
import { expect, it, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { CommandLine } from "./command-line";

/** Keeps the line, as the composer does. */
function Line(props: Omit<ComponentProps<typeof CommandLine>, "line" | "onLine">) {
  const [line, setLine] = useState("");
  return <CommandLine line={line} onLine={setLine} {...props} />;
}

function setUp(question: string | null = null, answer = true) {
  const onSubmit = vi.fn(async () => answer);
  renderInApp(<Line question={question} onSubmit={onSubmit} />);
  return { onSubmit, input: screen.getByRole("combobox"), user: userEvent.setup() };
}

it("sends an answer with Enter and clears the field", async () => {
  const { onSubmit, input, user } = setUp("q1");
  await user.type(input, "By priority{Enter}");
  expect(onSubmit).toHaveBeenCalledExactlyOnceWith({ kind: "text", text: "By priority" }, "q1");
  expect(input).toHaveValue("");
});

it("keeps the text if sending fails", async () => {
  const { input, user } = setUp("q1", false);
  await user.type(input, "By priority{Enter}");
  expect(input).toHaveValue("By priority");
});

it("suggests commands, selected with arrows and Enter", async () => {
  const { onSubmit, input, user } = setUp();
  await user.type(input, "/");
  expect(screen.getAllByRole("option")).toHaveLength(5);
  await user.keyboard("{ArrowDown}{Enter}");
  expect(onSubmit).toHaveBeenCalledWith({ kind: "command", name: "resume", rest: "" }, null);
});

it("completes a command with arguments, and closes suggestions with Escape", async () => {
  const { onSubmit, input, user } = setUp();
  await user.type(input, "/in{Enter}");
  expect(input).toHaveValue("/interject ");
  expect(onSubmit).not.toHaveBeenCalled();
  await user.clear(input);
  await user.type(input, "/p{Escape}");
  expect(screen.queryByRole("listbox")).not.toBeInTheDocument();
  expect(input).toHaveValue("/p");
});

it("sends text that was typed while the previous line was being sent", async () => {
  const answers: ((sent: boolean) => void)[] = [];
  const onSubmit = vi.fn((_: unknown) => new Promise<boolean>((answer) => answers.push(answer)));
  renderInApp(<Line question={null} busy onSubmit={onSubmit} />);
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

function setUpWith(question: string | null) {
  const onSubmit = vi.fn(async () => true);
  const line = (question: string | null) => (
    <MantineProvider env="test">
      <Line question={question} onSubmit={onSubmit} />
    </MantineProvider>
  );
  const { rerender } = render(line(question));
  const ask = (next: string | null) => rerender(line(next));
  return { onSubmit, ask, input: screen.getByRole("combobox"), user: userEvent.setup() };
}

it("sends a line that was started before the question as a message", async () => {
  const { onSubmit, ask, input, user } = setUpWith(null);
  await user.type(input, "Use tabs");
  ask("q1");
  expect(screen.getByRole("status")).toHaveTextContent("Enter sends this as a message");
  await user.type(input, " please{Enter}");
  expect(onSubmit).toHaveBeenCalledExactlyOnceWith({ kind: "text", text: "Use tabs please" }, null);
  expect(screen.queryByRole("status")).not.toBeInTheDocument();
  await user.type(input, "By priority{Enter}");
  expect(onSubmit).toHaveBeenLastCalledWith({ kind: "text", text: "By priority" }, "q1");
});

it("answers a question that arrived while typing only on request", async () => {
  const { onSubmit, ask, input, user } = setUpWith(null);
  await user.type(input, "By priority");
  ask("q1");
  await user.click(screen.getByRole("button", { name: "Send as answer" }));
  expect(input).toHaveFocus();
  await user.keyboard("{Enter}");
  expect(onSubmit).toHaveBeenCalledExactlyOnceWith({ kind: "text", text: "By priority" }, "q1");
});

it("does not answer a question other than the one that was open", async () => {
  const { onSubmit, ask, input, user } = setUpWith("q1");
  await user.type(input, "By priority");
  ask("q2");
  await user.type(input, "{Enter}");
  expect(onSubmit).toHaveBeenCalledExactlyOnceWith({ kind: "text", text: "By priority" }, null);
});
