import { Button, Code, Group } from "@mantine/core";
import { IconBug } from "@tabler/icons-react";
import { useRouteError } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { messageOf } from "@/lib/problem";

/** The last net: a page that broke says so and offers a way on. */
export function RouteError() {
  const error = useRouteError();
  const outdated = error instanceof TypeError && /import|module/i.test(error.message);
  return (
    <main style={{ paddingTop: "15vh" }}>
      <EmptyState
        order={1}
        icon={<IconBug size={22} />}
        title={outdated ? "ForgeGuard was updated" : "This page broke"}
        action={
          <Group>
            <Button onClick={() => location.reload()}>Load again</Button>
            <Button variant="default" component="a" href="/">
              All projects
            </Button>
          </Group>
        }
      >
        {outdated ? (
          "Load the page again to use the new version."
        ) : (
          <>
            Nothing is lost: builds go on without this page. It said:{" "}
            <Code>{messageOf(error)}</Code>
          </>
        )}
      </EmptyState>
    </main>
  );
}
