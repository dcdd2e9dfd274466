import { Suspense } from "react";
import { Outlet, ScrollRestoration } from "react-router";
import { AppHeader } from "./app-header";
import classes from "./app-layout.module.css";
import { Keyboard } from "./keyboard/keyboard";
import { Notifier } from "./notifier";
import { OfflineBar } from "./offline-bar";
import { PageLoading } from "./page-loading";

export function AppLayout() {
  return (
    <>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <AppHeader />
      <OfflineBar />
      <Notifier />
      <Keyboard />
      <ScrollRestoration />

      <main id="main" tabIndex={-1} className={classes.main}>
        <Suspense fallback={<PageLoading />}>
          <Outlet />
        </Suspense>
      </main>
    </>
  );
}
