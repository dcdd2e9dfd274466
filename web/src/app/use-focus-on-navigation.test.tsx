import { act, render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test } from "vitest";
import { useFocusOnNavigation } from "./use-focus-on-navigation";

function Page() {
  useFocusOnNavigation();
  return (
    <>
      <main id="main" tabIndex={-1} />
      <div role="dialog">
        <input aria-label="Search" />
      </div>
    </>
  );
}

async function focusAfterNavigation(replace: boolean) {
  const router = createMemoryRouter([{ path: "*", element: <Page /> }], {
    initialEntries: ["/projects/id"],
  });
  const { unmount } = render(<RouterProvider router={router} />);
  screen.getByRole("textbox", { name: "Search" }).focus();
  await act(() => router.navigate("/projects/shelf", { replace }));
  const focused = document.activeElement?.tagName;
  unmount();
  return focused;
}

test("corrected address leaves the focus in a dialog, and a new page takes it", async () => {
  expect(await focusAfterNavigation(true)).toBe("INPUT");
  expect(await focusAfterNavigation(false)).toBe("MAIN");
});
