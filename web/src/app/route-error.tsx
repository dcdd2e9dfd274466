import { Button, Code, Group } from "@mantine/core";
import { IconBug, IconRefresh } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useRouteError } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { CopyDetails } from "@/components/panel-boundary";
import { isChunkError, isUnavailable, messageOf } from "@/lib/api-error";
import { isOutdated } from "@/lib/app-version";
import { PageLoading } from "./page-loading";

/** The error page of a route. If the server has a newer version of the app, reloads the page instead. */
export function RouteError({ reload = () => location.reload() }: { reload?: () => void }) {
  const error = useRouteError();
  const [state, setState] = useState<"checking" | "outdated" | "broken">("checking");
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each error
  useEffect(() => {
    let left = false;
    setState("checking");
    isOutdated().then((outdated) => {
      if (left) return;
      setState(outdated ? "outdated" : "broken");
      if (outdated) reload();
    });
    return () => {
      left = true;
    };
  }, [error]);

  if (state === "checking") return <PageLoading />;
  if (state === "outdated") {
    return (
      <EmptyState
        order={1}
        icon={<IconRefresh size={22} />}
        title="ForgeGuard was updated"
        action={<Button onClick={reload}>Reload</Button>}
      >
        Loading the new version…
      </EmptyState>
    );
  }
  return (
    <EmptyState
      order={1}
      icon={<IconBug size={22} />}
      title={
        isUnavailable(error) ? "ForgeGuard is not responding" : "Something went wrong on this page"
      }
      action={
        <Group>
          <Button onClick={reload}>Reload page</Button>
          <Button variant="default" component="a" href="/">
            All projects
          </Button>
          <CopyDetails error={error} />
        </Group>
      }
    >
      {isUnavailable(error) || isChunkError(error) ? (
        `${messageOf(error)} Running builds are not affected.`
      ) : (
        <>
          The page's own code failed. Running builds are not affected. Error:{" "}
          <Code>{String(error)}</Code>
        </>
      )}
    </EmptyState>
  );
}
