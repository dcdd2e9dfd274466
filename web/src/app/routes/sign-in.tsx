import { Navigate, useLocation, useNavigate, useSearchParams } from "react-router";
import { usePageTitle } from "@/domain/use-page-title";
import { useSession } from "@/features/accounts/api";
import { ProviderButtons } from "@/features/accounts/sign-in/provider-buttons";
import { SignInForm } from "@/features/accounts/sign-in/sign-in-form";
import { SignInProblem } from "@/features/accounts/sign-in/sign-in-problem";
import { safeReturnPath } from "@/lib/paths";
import { CenteredPage } from "../centered-page";

export default function SignInPage() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const session = useSession();
  const target = safeReturnPath(query.get("return"));
  const ended = (useLocation().state as { ended?: boolean } | null)?.ended === true;
  usePageTitle("Sign in");
  if (session.data) return <Navigate replace to={target} />;
  return (
    <CenteredPage
      title="Sign in"
      text={ended ? "Your session has ended. Sign in to continue." : "Use your ForgeGuard account."}
    >
      <SignInProblem />
      <SignInForm onDone={() => navigate(target, { replace: true })} />
      <ProviderButtons returnTo={target} />
    </CenteredPage>
  );
}
