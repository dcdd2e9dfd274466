import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";

/** Renders with the component library, without transitions. */
export const renderInApp = (ui: ReactNode) =>
  render(<MantineProvider env="test">{ui}</MantineProvider>);

/** Renders with its own query cache, filled by `fill`. */
export function renderWithClient(ui: ReactNode, fill: (client: QueryClient) => void) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  fill(client);
  renderInApp(<QueryClientProvider client={client}>{ui}</QueryClientProvider>);
  return client;
}

/** Renders with a router and its own query cache, which is returned. */
export function renderWithCache(ui: ReactNode) {
  return renderWithClient(<MemoryRouter>{ui}</MemoryRouter>, () => {});
}
