import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";

/** Renders inside the component library, without motion. */
export const renderInApp = (ui: ReactNode) =>
  render(<MantineProvider env="test">{ui}</MantineProvider>);

/** Renders with links and a server cache of its own too, which is returned. */
export function renderWithCache(ui: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  renderInApp(
    <QueryClientProvider client={client}>
      <MemoryRouter>{ui}</MemoryRouter>
    </QueryClientProvider>,
  );
  return client;
}
