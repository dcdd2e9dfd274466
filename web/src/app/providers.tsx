import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { sessionQuery } from "@/features/accounts/api";
import { ApiError } from "@/lib/api-error";
import { keys } from "@/lib/query-keys";
import { refetchOnRecovery } from "@/lib/refetch-on-recovery";
import { onSignedOut } from "@/lib/refresh-session";
import { clearOnUserChange } from "@/lib/user-scope";
import { prefetchData } from "./prefetch-data";
import { cssVariables, theme } from "./theme";

const scheme = localStorageColorSchemeManager({ key: "forgeguard-color-scheme" });

function createClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => failed(error) }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        networkMode: "always",
        // Only requests that got no response are retried.
        // In a hidden tab, a retry would wait until the tab is visible, and block all polling behind it.
        retry: (count, error) =>
          count < 2 && !document.hidden && !(error instanceof ApiError && error.status < 500),
      },
      mutations: { networkMode: "always" },
    },
  });
  const failed = refetchOnRecovery(client, async () => (await fetch("/api/setup")).ok);
  clearOnUserChange(client);
  onSignedOut(() => client.setQueryData(keys.session, null));
  // In parallel with the code of the page.
  void client.prefetchQuery(sessionQuery);
  void prefetchData(client, location.pathname);
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
