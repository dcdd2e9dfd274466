import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import type { Remote } from "./api";
import { RemoteSettingsCard } from "./remote-settings-card";

it("changes the kind of server and leaves the credential as it is", async () => {
  let remote = {
    url: "https://code.example.org/me/shelf.git",
    forge: "other",
    credential: "c1",
    accepts_hooks: false,
  } as Remote;
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "PUT") {
      const body = await request.json();
      sent.push(body);
      remote = { ...remote, ...body };
      return Response.json(remote);
    }
    const isRemote = request.url.endsWith("/remote");
    return Response.json(isRemote ? { remote } : { items: [], next: null });
  });
  renderWithCache(<RemoteSettingsCard projectId="p1" />);

  const kind = await screen.findByRole("combobox", { name: "Kind of server" });
  expect(kind).toHaveDisplayValue("Another one");
  await userEvent.selectOptions(kind, "Gitea or Forgejo");
  await vi.waitFor(() => expect(kind).toHaveDisplayValue("Gitea or Forgejo"));
  expect(sent).toEqual([{ forge: "gitea", credential: "c1" }]);
});
