// Follows a running contract generation while the caller is mounted.
import { useDocumentVisibility } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, type Generation, unwrap } from "@/lib/api";
import { isRunning } from "../generation";
import { storeGeneration } from "./generation-cache";
import { followGeneration } from "./generation-stream";

const QUIET_MS = 700;

/** Whether the connection is lost. */
export function useGenerationFeed(generation: Generation | null): boolean {
  const client = useQueryClient();
  const [lost, setLost] = useState(false);
  // Browsers limit connections per host: hidden tabs release theirs.
  const visible = useDocumentVisibility() === "visible";
  const id = generation && isRunning(generation) && visible ? generation.id : null;

  useEffect(() => {
    if (id === null) return;
    let slow: ReturnType<typeof setTimeout> | undefined;
    const leave = followGeneration({
      open: () => new EventSource(`/api/generations/${id}`),
      fetch: () => fetchGeneration(id),
      take: (generation) => storeGeneration(client, generation),
      onLink(live) {
        // Short interruptions are not shown.
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

/** The stream has the same URL as the resource, with another `Accept` header. */
const fetchGeneration = (generation: string) =>
  unwrap(api.GET("/api/generations/{generation}", { params: { path: { generation } } }));
