import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { healing } from "@/lib/heal";
import { ApiError } from "@/lib/problem";
import { keys } from "@/lib/query-keys";
import { onSignedOut } from "@/lib/refresh-session";
import { cssVariables, theme } from "./theme";

const scheme = localStorageColorSchemeManager({ key: "forgeguard-color-scheme" });

function createClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => failed(error) }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        networkMode: "always",
        // A refusal stays a refusal; only an answer that never came is worth another try.
        // In a hidden tab a further try would wait until the tab is shown, and every poll behind it.
        retry: (count, error) =>
          count < 2 && !document.hidden && !(error instanceof ApiError && error.status < 500),
      },
      mutations: { networkMode: "always" },
    },
  });
  const failed = healing(client, async () => (await fetch("/api/setup")).ok);
  onSignedOut(() => client.setQueryData(keys.session, null));
  return client;
}

export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(createClient);
  return (
    <QueryClientProvider client={client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={scheme}
        defaultColorScheme="auto"
      >
        <Notifications position="bottom-right" zIndex={400} limit={4} />
        {children}
      </MantineProvider>
    </QueryClientProvider>
  );
}
