import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError } from "@/lib/problem";
import { keys } from "@/lib/query-keys";
import { onSignedOut } from "@/lib/refresh-session";
import { cssVariables, theme } from "./theme";

const scheme = localStorageColorSchemeManager({ key: "forgeguard-color-scheme" });

function createClient(): QueryClient {
  const client = new QueryClient({
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
