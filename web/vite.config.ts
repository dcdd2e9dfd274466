// Builds the app into static/app, which the server embeds.
import { fileURLToPath, URL } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { CHUNK_GROUPS, preloadShared } from "./chunk-groups.ts";
import { precompress } from "./precompress.ts";

const server = process.env.FORGEGUARD_DEV_SERVER ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), preloadShared(), precompress()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: {
    proxy: {
      "/api": { target: server, ws: true, changeOrigin: false },
      "/git": { target: server },
    },
  },
  build: {
    outDir: "../static/app",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2023",
    chunkSizeWarningLimit: 900,
    // On slow links each file costs more than what it contains.
    cssCodeSplit: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: CHUNK_GROUPS, includeDependenciesRecursively: false } },
    },
  },
  test: {
    environment: "happy-dom",
    globals: true,
    setupFiles: ["src/testing/setup.ts"],
    css: false,
    restoreMocks: true,
    unstubGlobals: true,
    // Loading the modules again for each file takes three times as long as the tests.
    isolate: false,
    // Tests do not measure time, and machines may be busy.
    testTimeout: 30_000,
  },
});
