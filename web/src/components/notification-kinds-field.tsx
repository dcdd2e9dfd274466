import { Checkbox, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { NOTIFICATION_KINDS, type NotificationKind } from "@/domain/notification-kinds";
import { keysOf } from "@/lib/keys-of";

interface NotificationKindsFieldProps {
  label: string;
  value: NotificationKind[];
  error?: ReactNode;
  disabled?: boolean;
  onChange: (kinds: NotificationKind[]) => void;
}

/** Checkboxes for the kinds of notifications. */
export function NotificationKindsField({
  label,
  value,
  error,
  disabled,
  onChange,
}: NotificationKindsFieldProps) {
  return (
    <Checkbox.Group
      label={label}
      error={error}
      value={value}
      onChange={(kinds) => onChange(kinds as NotificationKind[])}
    >
      <Group gap="md" mt={6} mb={4}>
        {keysOf(NOTIFICATION_KINDS).map((kind) => (
          <Checkbox
            key={kind}
            value={kind}
            label={NOTIFICATION_KINDS[kind]}
            disabled={disabled ?? false}
          />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
