import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router";
import { expect, it, vi } from "vitest";
import { useUnsavedChanges } from "@/lib/unsaved-changes";
import { renderInApp } from "@/testing/render";
import { UnsavedGuard } from "./unsaved-guard";

const discard = vi.fn();
let dirty = true;

function Settings() {
  useUnsavedChanges(() => dirty, discard);
  return <h1>Settings</h1>;
}

function open() {
  const layout = (
    <>
      <UnsavedGuard />
      <Outlet />
    </>
  );
  const children = [
    { path: "/settings", Component: Settings },
    { path: "/other", element: <h1>Other</h1> },
  ];
  const router = createMemoryRouter([{ element: layout, children }], {
    initialEntries: ["/settings"],
  });
  renderInApp(<RouterProvider router={router} />);
  return router;
}

const leave = () => {
  const event = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
};

it("asks before unsaved changes are left, and before the tab is closed", async () => {
  dirty = true;
  const router = open();
  await act(() => router.navigate("/other"));
  await userEvent.click(await screen.findByRole("button", { name: "Stay on page" }));
  expect(screen.getByRole("heading", { name: "Settings" })).toBeInTheDocument();
  expect(leave()).toBe(true);
  expect(discard).not.toHaveBeenCalled();

  await act(() => router.navigate("/other"));
  await userEvent.click(await screen.findByRole("button", { name: "Discard changes" }));
  expect(await screen.findByRole("heading", { name: "Other" })).toBeInTheDocument();
  expect(discard).toHaveBeenCalledOnce();
  expect(leave()).toBe(false);
});

it("does not ask if everything is saved", async () => {
  dirty = false;
  const router = open();
  await act(() => router.navigate("/other"));
  expect(screen.getByRole("heading", { name: "Other" })).toBeInTheDocument();
});
