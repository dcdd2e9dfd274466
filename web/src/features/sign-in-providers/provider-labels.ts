import type { SignInProvider } from "./api";

export const KINDS: Record<SignInProvider["kind"], string> = {
  oidc: "OpenID Connect",
  github: "GitHub",
};

export const FIRST_SIGN_IN: Record<SignInProvider["first_sign_in"], string> = {
  invited: "invited users only",
  domains: "users of allowed email domains",
  anyone: "anyone with an account there",
};
