import { Box, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { ACTIONS, runAction } from "@/domain/actions";
import { KeyCaps } from "./key-caps";
import classes from "./keys.module.css";

/** Looks like a search field and opens the command palette. */
export function SearchButton({ small }: { small?: boolean }) {
  return (
    <UnstyledButton
      className={classes.hint}
      h={small ? 28 : undefined}
      aria-label={ACTIONS.find.label}
      aria-keyshortcuts="Control+K"
      onClick={() => runAction("find")}
    >
      <IconSearch size={15} aria-hidden />
      {!small && (
        <Box component="span" w="9.75rem" visibleFrom="sm" aria-hidden>
          Search or jump to…
        </Box>
      )}
      <Box component="span" visibleFrom="sm" aria-hidden>
        <KeyCaps keys={ACTIONS.find.keys ?? ""} />
      </Box>
    </UnstyledButton>
  );
}
