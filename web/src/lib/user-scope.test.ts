import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, it } from "vitest";
import type { User } from "./api";
import { createDraftStore } from "./draft-store";
import { keys } from "./query-keys";
import { clearOnUserChange } from "./user-scope";

const ada = { id: "u1", name: "Ada" } as User;
const ben = { id: "u2", name: "Ben" } as User;

let client: QueryClient;
beforeEach(() => {
  localStorage.clear();
  client = new QueryClient();
  clearOnUserChange(client);
});

const signIn = (user: User | null) => client.setQueryData(keys.session, user);
const draft = () => createDraftStore("note", (value) => (typeof value === "string" ? value : null));

it("clears cached data when the session ends", () => {
  signIn(ada);
  client.setQueryData(keys.projects, { items: ["Ada's"] });
  client.setQueryData(keys.build("b1"), { id: "b1" });
  signIn(null);
  expect(client.getQueryData(keys.projects)).toBeUndefined();
  expect(client.getQueryData(keys.build("b1"))).toBeUndefined();
  expect(client.getQueryData(keys.session)).toBeNull();
});

it("clears cached data when another user signs in", () => {
  signIn(ada);
  client.setQueryData(keys.projects, { items: ["Ada's"] });
  signIn(ben);
  expect(client.getQueryData(keys.projects)).toBeUndefined();
});

it("keeps cached data when the same session is refetched", () => {
  signIn(ada);
  client.setQueryData(keys.projects, { items: ["Ada's"] });
  signIn({ ...ada, name: "Ada L." });
  expect(client.getQueryData(keys.projects)).toEqual({ items: ["Ada's"] });
});

it("shows drafts only to the user who wrote them", () => {
  signIn(ada);
  draft().write("Ada's secret");
  signIn(ben);
  expect(draft().read()).toBeNull();
  draft().write("Ben's");
  signIn(null);
  signIn(ada);
  expect(draft().read()).toBe("Ada's secret");
});
