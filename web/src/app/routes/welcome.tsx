import { useNavigate, useSearchParams } from "react-router";
import { InvitationForm } from "@/features/session/invitation-form";
import { paths } from "@/lib/paths";
import { useTitle } from "@/lib/use-title";
import { CentredPage } from "../centred-page";

export default function WelcomePage() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  useTitle("Welcome");
  return (
    <CentredPage
      title="Welcome to ForgeGuard"
      text="Choose the password that you will sign in with."
    >
      <InvitationForm
        token={query.get("token") ?? ""}
        onDone={() => navigate(paths.home, { replace: true })}
      />
    </CentredPage>
  );
}
