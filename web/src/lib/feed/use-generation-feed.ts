// Follows a run under way of a project for as long as the caller is on the page.
import { useDocumentVisibility } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, type Generation, unwrap } from "@/lib/api";
import { isUnderWay } from "@/lib/generation";
import { takeGeneration } from "./generation-cache";
import { followGeneration } from "./generation-stream";

const QUIET_MS = 700;

/** Whether the connection is away. */
export function useGenerationFeed(generation: Generation | null): boolean {
  const client = useQueryClient();
  const [lost, setLost] = useState(false);
  // A browser has few connections for all of its tabs together: those that nobody sees give theirs back.
  const visible = useDocumentVisibility() === "visible";
  const id = generation && isUnderWay(generation) && visible ? generation.id : null;

  useEffect(() => {
    if (id === null) return;
    let slow: ReturnType<typeof setTimeout> | undefined;
    const leave = followGeneration({
      open: () => new EventSource(`/api/generations/${id}`),
      fetch: () => fetchGeneration(id),
      take: (generation) => takeGeneration(client, generation),
      onLink(live) {
        // A blink of the connection is nobody's business; a longer one is said.
        if (!live) slow ??= setTimeout(() => setLost(true), QUIET_MS);
        else {
          clearTimeout(slow);
          slow = undefined;
          setLost(false);
        }
      },
    });
    return () => {
      leave();
      clearTimeout(slow);
    };
  }, [client, id]);

  return lost;
}

/** Asked for as text, the same address is the stream. */
const fetchGeneration = (generation: string) =>
  unwrap(
    api.GET("/api/generations/{generation}", { params: { path: { generation } } }),
  ) as Promise<Generation>;
