import { useNavigate, useSearchParams } from "react-router";
import { usePageTitle } from "@/domain/use-page-title";
import { InvitationForm } from "@/features/accounts/sign-in/invitation-form";
import { ProviderButtons } from "@/features/accounts/sign-in/provider-buttons";
import { paths } from "@/lib/paths";
import { CenteredPage } from "../centered-page";

export default function WelcomePage() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const token = query.get("token") ?? "";
  usePageTitle("Welcome");
  return (
    <CenteredPage title="Welcome to ForgeGuard" text="Choose your password.">
      <InvitationForm token={token} onDone={() => navigate(paths.home, { replace: true })} />
      <ProviderButtons invitation={token} />
    </CenteredPage>
  );
}
