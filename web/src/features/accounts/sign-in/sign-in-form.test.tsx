import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { SignInForm } from "./sign-in-form";

it("marks invalid fields for assistive technology until they are corrected", async () => {
  const user = userEvent.setup();
  renderInApp(
    <QueryClientProvider client={new QueryClient()}>
      <SignInForm onDone={vi.fn()} />
    </QueryClientProvider>,
  );
  const email = screen.getByLabelText("Email");
  const password = screen.getByLabelText("Password");
  for (const field of [email, password]) expect(field).toBeValid();

  await user.click(screen.getByRole("button", { name: "Sign in" }));
  expect(email).toBeInvalid();
  expect(email).toHaveAccessibleDescription("Enter your email address");
  expect(password).toBeInvalid();
  expect(password).toHaveAccessibleDescription("Enter your password");

  await user.type(password, "secret");
  expect(password).toBeValid();
});

it("shows the password with the keyboard alone", async () => {
  const user = userEvent.setup();
  renderInApp(
    <QueryClientProvider client={new QueryClient()}>
      <SignInForm onDone={vi.fn()} />
    </QueryClientProvider>,
  );
  await user.type(screen.getByLabelText("Password"), "secret");
  await user.tab();
  expect(screen.getByRole("button", { name: "Show password" })).toHaveFocus();
  await user.keyboard(" ");
  expect(screen.getByLabelText("Password")).toHaveAttribute("type", "text");
});
