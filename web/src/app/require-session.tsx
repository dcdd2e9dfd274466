import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { useSession, useSetupState } from "@/features/session/api";
import { paths } from "@/lib/paths";
import { messageOf } from "@/lib/problem";
import { PageLoading } from "./page-loading";

/** Lets the signed-in in, and brings everyone else back here after signing in. */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session.data) return children;
  if (session.data === null) return <SignInFirst returnTo={pathname + search} />;
  if (!session.isError) return <PageLoading />;
  return (
    <main style={{ paddingTop: "15vh" }}>
      <EmptyState
        order={1}
        icon={<IconPlugConnectedX size={22} />}
        title="ForgeGuard does not answer"
        action={
          <Button variant="default" loading={session.isFetching} onClick={() => session.refetch()}>
            Try again
          </Button>
        }
      >
        {messageOf(session.error)}
      </EmptyState>
    </main>
  );
}

function SignInFirst({ returnTo }: { returnTo: string }) {
  const setup = useSetupState();
  if (setup.isPending) return <PageLoading />;
  return <Navigate replace to={setup.data?.needed ? paths.setup : paths.signIn(returnTo)} />;
}
