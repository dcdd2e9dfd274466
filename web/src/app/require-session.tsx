import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { Fragment, type ReactNode, useState } from "react";
import { Navigate, useLocation } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { useSession, useSetupState } from "@/features/accounts/api";
import { isUnavailable, messageOf } from "@/lib/api-error";
import { paths } from "@/lib/paths";
import { PageLoading } from "./page-loading";

/** Renders the page for a signed-in user; redirects others to the sign-in page, which returns here. */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search } = useLocation();
  const [hadSession, setHadSession] = useState(false);
  if (session.data && !hadSession) setHadSession(true);
  // Remounted for another user, so that no state of the previous user remains.
  if (session.data) return <Fragment key={session.data.id}>{children}</Fragment>;
  if (session.data === null) return <SignInFirst returnTo={pathname + search} ended={hadSession} />;
  if (!session.isError) return <PageLoading />;
  return (
    <main style={{ paddingTop: "15vh" }}>
      <EmptyState
        order={1}
        icon={<IconPlugConnectedX size={22} />}
        title={
          isUnavailable(session.error)
            ? "ForgeGuard is not responding"
            : "Could not check whether you are signed in"
        }
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

interface SignInFirstProps {
  returnTo: string;
  /** Whether a session ended on this page. */
  ended: boolean;
}

function SignInFirst({ returnTo, ended }: SignInFirstProps) {
  const setup = useSetupState();
  if (setup.isPending) return <PageLoading />;
  if (setup.data?.needed) return <Navigate replace to={paths.setup} />;
  return <Navigate replace to={paths.signIn(returnTo)} state={{ ended }} />;
}
