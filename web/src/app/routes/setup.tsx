import { Button, Stack, Text } from "@mantine/core";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useSetupState } from "@/features/session/api";
import { SetupForm } from "@/features/session/setup-form";
import { paths } from "@/lib/paths";
import { useTitle } from "@/lib/use-title";
import { CentredPage } from "../centred-page";

export default function SetupPage() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const setup = useSetupState();
  useTitle("First start");
  if (setup.data && !setup.data.needed) {
    return (
      <CentredPage title="Already set up" text="This ForgeGuard has its first account.">
        <Stack>
          <Text fz="sm">
            Sign in with it. If you forgot the password, an admin can give you a new one.
          </Text>
          <Button component={Link} to={paths.signIn()}>
            Go to sign in
          </Button>
        </Stack>
      </CentredPage>
    );
  }
  return (
    <CentredPage
      title="Welcome to ForgeGuard"
      text="Create the first account. It is the admin of this installation."
    >
      <SetupForm
        token={query.get("token") ?? ""}
        onDone={(project) =>
          navigate(project ? paths.project(project) : paths.home, { replace: true })
        }
      />
    </CentredPage>
  );
}
