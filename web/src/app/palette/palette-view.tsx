import { Modal, Stack, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { plural } from "@/lib/format";
import classes from "./palette.module.css";
import { KINDS, type PaletteItem } from "./palette-items";
import { PaletteOption } from "./palette-option";
import { findItems } from "./search-items";

export interface PaletteViewProps {
  items: PaletteItem[];
  onClose: () => void;
}

/** Unlike Mantine's Spotlight, it tells screen readers which item is selected. */
export function PaletteView({ items, onClose }: PaletteViewProps) {
  const id = useId();
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const groups = findItems(query, items);
  const flat = groups.flatMap((group) => group.items);
  const current = flat.find(({ key }) => key === chosen) ?? flat[0];

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is chosen comes into view
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current?.key]);

  function choose({ to }: PaletteItem) {
    onClose();
    if (typeof to === "string") navigate(to);
    else to();
  }

  function onKeyDown(event: KeyboardEvent) {
    const at = flat.findIndex(({ key }) => key === current?.key);
    const last = flat.length - 1;
    const to = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8),
    }[event.key];
    if (to !== undefined) setChosen(flat[to]?.key ?? null);
    else if (event.key === "Enter" && current && !event.nativeEvent.isComposing) choose(current);
    else return;
    event.preventDefault();
  }

  return (
    <Modal.Root
      opened
      onClose={onClose}
      closeOnEscape={false}
      returnFocus={false}
      size={620}
      zIndex={340}
      yOffset="10vh"
      radius="lg"
      transitionProps={{ duration: 80, transition: "fade" }}
    >
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content
        bg="var(--surface-raised)"
        bd="1px solid var(--line)"
        aria-label="Search or jump to"
      >
        <Stack gap={0} mah="min(34rem, 80vh)">
          <TextInput
            data-autofocus
            variant="unstyled"
            size="md"
            classNames={{ input: classes.input }}
            leftSection={<IconSearch size={18} aria-hidden />}
            placeholder="Search projects, contracts, builds and actions"
            role="combobox"
            aria-label="Search or jump to"
            aria-expanded
            aria-controls={id}
            aria-autocomplete="list"
            aria-activedescendant={current && `${id}-${current.key}`}
            autoComplete="off"
            spellCheck={false}
            value={query}
            onChange={(event) => {
              setQuery(event.currentTarget.value);
              setChosen(null);
            }}
            onKeyDown={onKeyDown}
          />
          <div ref={list} id={id} role="listbox" aria-label="Results" className={classes.list}>
            {groups.map(({ kind, items }) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a listbox
              <div key={kind} role="group" aria-labelledby={`${id}-${kind}`}>
                <Text id={`${id}-${kind}`} px={10} pt={10} pb={4} fz="xs" fw={600} c="dimmed">
                  {KINDS[kind]}
                </Text>
                {items.map((item) => (
                  <PaletteOption
                    key={item.key}
                    id={`${id}-${item.key}`}
                    item={item}
                    selected={item.key === current?.key}
                    onPoint={() => setChosen(item.key)}
                    onChoose={() => choose(item)}
                  />
                ))}
              </div>
            ))}
          </div>
          <div role="status">
            {flat.length > 0 ? (
              <VisuallyHidden>{plural(flat.length, "result")}</VisuallyHidden>
            ) : (
              <Text fz="sm" c="dimmed" ta="center" px="md" py={28}>
                No results for “{query.trim()}”
              </Text>
            )}
          </div>
        </Stack>
      </Modal.Content>
    </Modal.Root>
  );
}
