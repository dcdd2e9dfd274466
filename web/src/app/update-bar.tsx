import { Button, Center } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { isOutdated } from "@/lib/app-version";
import { keys } from "@/lib/query-keys";
import { toneBar } from "@/lib/tone";

const CHECK_INTERVAL_MS = 5 * 60_000;

/** Offers to reload the page when the server has a newer version of the app. */
export function UpdateBar({ reload = () => location.reload() }: { reload?: () => void }) {
  const client = useQueryClient();
  const { data: outdated } = useQuery({
    queryKey: keys.outdated,
    queryFn: isOutdated,
    // The page has just been loaded.
    initialData: false,
    refetchInterval: CHECK_INTERVAL_MS,
    staleTime: 60_000,
  });
  useEffect(() => {
    // Files of the running version may be gone.
    const check = () => void client.invalidateQueries({ queryKey: keys.outdated });
    window.addEventListener("vite:preloadError", check);
    return () => window.removeEventListener("vite:preloadError", check);
  }, [client]);
  return (
    <div role="status">
      {outdated && (
        <Center {...toneBar("info")} py={6} px="md" fz="sm" style={{ gap: "0.75rem" }}>
          A new version of ForgeGuard is available.
          <Button size="compact-sm" variant="default" onClick={reload}>
            Reload
          </Button>
        </Center>
      )}
    </div>
  );
}
