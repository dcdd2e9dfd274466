// Addresses of rows: `#42`.
import { useCallback } from "react";
import { useLocation, useNavigate } from "react-router";
import { copyLink } from "@/lib/copy-link";

export function useRowLinks() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const goTo = useCallback(
    (seq: number, state?: { stays: boolean }) =>
      navigate({ search, hash: `#${seq}` }, { replace: true, preventScrollReset: true, state }),
    [navigate, search],
  );
  const copyRowLink = useCallback(
    (seq: number) => {
      goTo(seq, { stays: true });
      void copyLink(`${pathname}${search}#${seq}`);
    },
    [goTo, pathname, search],
  );
  return { goTo, copyRowLink };
}
