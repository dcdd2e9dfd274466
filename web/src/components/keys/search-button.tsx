import { UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { ACTIONS, runAction } from "@/domain/actions";
import { KeyCaps } from "./key-caps";
import classes from "./keys.module.css";

/** Looks like a search field and opens the command palette. */
export function SearchButton({ small }: { small?: boolean }) {
  return (
    <UnstyledButton
      className={classes.hint}
      data-small={small || undefined}
      aria-label={ACTIONS.find.label}
      aria-keyshortcuts="Control+K"
      onClick={() => runAction("find")}
    >
      <IconSearch size={15} aria-hidden />
      <span className={classes.hintText} aria-hidden>
        Search or jump to…
      </span>
      <span aria-hidden>
        <KeyCaps keys={ACTIONS.find.keys ?? ""} />
      </span>
    </UnstyledButton>
  );
}
