import { Modal, Switch } from "@mantine/core";
import { useState } from "react";
import { type ActionScreen, currentActions, wordsOf } from "@/lib/actions";
import { KeyCaps } from "./key-caps";
import classes from "./keyboard.module.css";
import { setSingleKeys, singleKeysWork } from "./single-keys";

interface Shortcut {
  label: string;
  keys: string;
}

/** The keys of the screen as it is, the nearest first. */
export function shortcutsNow(): [ActionScreen, Shortcut[]][] {
  const groups = new Map<ActionScreen, Shortcut[]>();
  for (const { name } of currentActions()) {
    const { screen, label, keys } = wordsOf(name);
    if (keys) groups.set(screen, [...(groups.get(screen) ?? []), { label, keys }]);
  }
  return [...groups];
}

/** Which keys do what on this screen. */
export default function KeyMap({ onClose }: { onClose: () => void }) {
  const [groups] = useState(shortcutsNow);
  const [single, setSingle] = useState(singleKeysWork);
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
            <h3>{screen}</h3>
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
        label="Letters alone are shortcuts"
        description="Switch it off when you speak to your computer. Ctrl K works all the same."
        checked={single}
        onChange={({ currentTarget: { checked } }) => {
          setSingle(checked);
          setSingleKeys(checked);
        }}
      />
    </Modal>
  );
}
