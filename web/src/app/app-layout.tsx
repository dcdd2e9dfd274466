import { Suspense } from "react";
import { Outlet, ScrollRestoration } from "react-router";
import { AppHeader } from "./app-header";
import classes from "./app-layout.module.css";
import { Keyboard } from "./keyboard/keyboard";
import { NavigationProgress } from "./navigation-progress";
import { Notifier } from "./notifier";
import { OfflineBar } from "./offline-bar";
import { PageLoading } from "./page-loading";
import { UnsavedGuard } from "./unsaved-guard";
import { UpdateBar } from "./update-bar";
import { useFillsScreen } from "./use-fills-screen";
import { useFirstPageLoaded } from "./use-first-page-loaded";
import { useFocusOnNavigation } from "./use-focus-on-navigation";

export function AppLayout() {
  const fillsScreen = useFillsScreen();
  const loaded = useFirstPageLoaded();
  useFocusOnNavigation();
  return (
    <>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <AppHeader loadsInbox={loaded} />
      <NavigationProgress />
      <OfflineBar />
      <UpdateBar />
      {loaded && <Notifier />}
      <Keyboard />
      <UnsavedGuard />
      <ScrollRestoration />

      <main
        id="main"
        tabIndex={-1}
        className={classes.main}
        data-fills-screen={fillsScreen || undefined}
      >
        <Suspense fallback={<PageLoading />}>
          <Outlet />
        </Suspense>
      </main>
    </>
  );
}
