import { ActionIcon, NativeSelect, Text, TextInput, Tooltip, VisuallyHidden } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconArrowDown, IconArrowUp, IconTrash } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { FieldRow, MONOSPACE_INPUT } from "@/components/field-row";
import type { ProjectSettings } from "@/lib/api";
import { actionOptions, patternExample, permissionOptions } from "./permission-labels";

interface Move {
  to: number;
  by: -1 | 1;
}

/** The project's own rules, in order of precedence. */
export function PermissionFields({ form }: { form: UseFormReturnType<ProjectSettings> }) {
  const rules = form.values.permissions ?? [];
  const list = useRef<HTMLOListElement>(null);
  const [moved, setMoved] = useState<Move | null>(null);

  // The focus follows the moved rule.
  useEffect(() => {
    if (!moved) return;
    const row = list.current?.children[moved.to];
    const buttons = [moved.by, -moved.by].map((by) =>
      row?.querySelector<HTMLButtonElement>(`button[data-by="${by}"]:not(:disabled)`),
    );
    buttons.find(Boolean)?.focus();
  }, [moved]);

  if (rules.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        No rules yet; the built-in rules apply. Add a rule to be asked before a command runs, or to
        protect files.
      </Text>
    );
  }
  const move = (from: number, by: -1 | 1) => {
    form.reorderListItem("permissions", { from, to: from + by });
    setMoved({ to: from + by, by });
  };
  return (
    <>
      <ol className="plain-list lined" ref={list}>
        {rules.map((rule, index) => (
          <FieldRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no other identity while it is typed
            key={index}
            tools={
              <>
                <RuleButton
                  label={`Move rule ${index + 1} up`}
                  by={-1}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <IconArrowUp size={16} aria-hidden />
                </RuleButton>
                <RuleButton
                  label={`Move rule ${index + 1} down`}
                  by={1}
                  disabled={index === rules.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <IconArrowDown size={16} aria-hidden />
                </RuleButton>
                <RuleButton
                  label={`Remove rule ${index + 1}`}
                  onClick={() => form.removeListItem("permissions", index)}
                >
                  <IconTrash size={16} aria-hidden />
                </RuleButton>
              </>
            }
          >
            <NativeSelect
              label="Permission"
              flex="1 1 11rem"
              data={permissionOptions(rule.permission)}
              {...form.getInputProps(`permissions.${index}.permission`)}
            />
            <TextInput
              label="Pattern"
              placeholder={patternExample(rule.permission)}
              flex="3 1 12rem"
              styles={MONOSPACE_INPUT}
              spellCheck={false}
              autoCapitalize="off"
              {...form.getInputProps(`permissions.${index}.pattern`)}
            />
            <NativeSelect
              label="Action"
              flex="0 1 9rem"
              data={actionOptions}
              {...form.getInputProps(`permissions.${index}.action`)}
            />
          </FieldRow>
        ))}
      </ol>
      <VisuallyHidden role="status">
        {moved && `Rule moved to position ${moved.to + 1} of ${rules.length}.`}
      </VisuallyHidden>
      <Text fz="xs" c="dimmed" mt="xs">
        <code>*</code> matches any text and <code>?</code> one character. A pattern must match the
        whole path or command.
      </Text>
    </>
  );
}

interface RuleButtonProps {
  label: string;
  by?: Move["by"];
  disabled?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function RuleButton({ label, by, children, ...rest }: RuleButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} data-by={by} {...rest}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
