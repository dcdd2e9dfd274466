import { Button, Stack, Text } from "@mantine/core";
import { Link, useNavigate, useSearchParams } from "react-router";
import { usePageTitle } from "@/domain/use-page-title";
import { useSetupState } from "@/features/accounts/api";
import { SetupForm } from "@/features/accounts/sign-in/setup-form";
import { paths } from "@/lib/paths";
import { CenteredPage } from "../centered-page";

export default function SetupPage() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const setup = useSetupState();
  usePageTitle("Set up ForgeGuard");
  if (setup.data && !setup.data.needed) {
    return (
      <CenteredPage
        title="ForgeGuard is already set up"
        text="This installation already has an administrator."
      >
        <Stack>
          <Text fz="sm">
            Sign in with your account. If you forgot your password, ask an administrator to reset
            it.
          </Text>
          <Button component={Link} to={paths.signIn()}>
            Go to sign in
          </Button>
        </Stack>
      </CenteredPage>
    );
  }
  return (
    <CenteredPage
      title="Welcome to ForgeGuard"
      text="Create the administrator account of this installation."
    >
      <SetupForm
        token={query.get("token") ?? ""}
        onDone={(project) =>
          navigate(project ? paths.project(project) : paths.home, { replace: true })
        }
      />
    </CenteredPage>
  );
}
