import { Modal, Switch, Title } from "@mantine/core";
import { useState } from "react";
import { KeyCaps } from "@/components/keys/key-caps";
import classes from "@/components/keys/keys.module.css";
import { type ActionScreen, actionLabels, currentActions } from "@/domain/actions";
import { setSingleKeysEnabled, singleKeysEnabled } from "./single-keys";

interface Shortcut {
  label: string;
  keys: string;
}

/** The shortcuts of the current screen, the most specific first. */
export function shortcutsNow(): [ActionScreen, Shortcut[]][] {
  const groups = new Map<ActionScreen, Shortcut[]>();
  for (const { name } of currentActions()) {
    const { screen, label, keys } = actionLabels(name);
    if (keys) groups.set(screen, [...(groups.get(screen) ?? []), { label, keys }]);
  }
  return [...groups];
}

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [groups] = useState(shortcutsNow);
  const [single, setSingle] = useState(singleKeysEnabled);
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnEscape={false}
      returnFocus={false}
      title="Keyboard shortcuts"
      size="lg"
      zIndex={340}
    >
      <div className={classes.groups}>
        {groups.map(([screen, shortcuts]) => (
          <section key={screen} className={classes.group}>
            <Title order={3} mb={4} c="dimmed" fz="xs" fw={600}>
              {screen}
            </Title>
            <dl>
              {shortcuts.map(({ label, keys }) => (
                <div key={label} className={classes.row}>
                  <dt>{label}</dt>
                  <dd>
                    <KeyCaps keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        mt="xs"
        label="Single-key shortcuts"
        description="Turn this off if you use speech input. Ctrl+K always works."
        checked={single}
        onChange={({ currentTarget: { checked } }) => {
          setSingle(checked);
          setSingleKeysEnabled(checked);
        }}
      />
    </Modal>
  );
}
