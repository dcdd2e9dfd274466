import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { buildIdQuery } from "./api";

it("finds a build by its number once it was found by its id", async () => {
  const fetched = vi.fn(async () => Response.json({ id: "b1", number: 3 }));
  vi.stubGlobal("fetch", fetched);
  const client = new QueryClient();
  expect(await client.fetchQuery(buildIdQuery(client, "p1", "b1"))).toBe("b1");
  expect(await client.fetchQuery(buildIdQuery(client, "p1", "3"))).toBe("b1");
  expect(fetched).toHaveBeenCalledOnce();
});
