import { Alert } from "@mantine/core";
import { useSearchParams } from "react-router";
import { useSignInOptions } from "../providers-api";
import { signInProblem } from "../sign-in-problems";

/** Why the sign-in failed with which a provider sent the browser back. */
export function SignInProblem() {
  const [query] = useSearchParams();
  const options = useSignInOptions().data;
  const provider = options?.find(({ id }) => id === query.get("provider"))?.name;
  const problem = signInProblem(query.get("problem"), provider);
  if (!problem) return null;
  return (
    <Alert color="red" p="sm" mb="md" role="alert" title={problem.title}>
      {problem.text}
    </Alert>
  );
}
