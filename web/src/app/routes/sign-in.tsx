import { Navigate, useNavigate, useSearchParams } from "react-router";
import { useSession } from "@/features/session/api";
import { SignInForm } from "@/features/session/sign-in-form";
import { safeReturnPath } from "@/lib/paths";
import { useTitle } from "@/lib/use-title";
import { CentredPage } from "../centred-page";

export default function SignInPage() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const session = useSession();
  const target = safeReturnPath(query.get("return"));
  useTitle("Sign in");
  if (session.data) return <Navigate replace to={target} />;
  return (
    <CentredPage title="Sign in" text="Good to see you again.">
      <SignInForm onDone={() => navigate(target, { replace: true })} />
    </CentredPage>
  );
}
