import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./global.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router";
import { Prefetch } from "./prefetch";
import { Providers } from "./providers";
import { createRouter, routes } from "./router";

const router = createRouter();

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Providers>
      <Prefetch routes={routes} />
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
