import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";

/** Renders inside the component library, without motion. */
export const renderInApp = (ui: ReactNode) =>
  render(<MantineProvider env="test">{ui}</MantineProvider>);
