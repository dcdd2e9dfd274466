import {
  ActionIcon,
  Checkbox,
  Group,
  NumberInput,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import type { ProjectSettings } from "@/lib/api";
import classes from "./gate-fields.module.css";

export function GateFields({ form }: { form: UseFormReturnType<ProjectSettings> }) {
  const gates = form.values.gates ?? [];
  if (gates.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        No gates yet. Add the command that runs your tests, or one of the detected gates below.
      </Text>
    );
  }
  return (
    <Stack component="ul" gap="md" className="plain-list">
      {gates.map((gate, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a gate has no other identity while its name is typed
        <li key={index} className={classes.row}>
          <TextInput
            label="Name"
            className={classes.name}
            {...form.getInputProps(`gates.${index}.name`)}
          />
          <TextInput
            label="Command"
            className={classes.command}
            classNames={{ input: classes.mono }}
            {...form.getInputProps(`gates.${index}.command`)}
          />
          <NumberInput
            label="Time limit (s)"
            min={1}
            max={3600}
            className={classes.timeout}
            {...form.getInputProps(`gates.${index}.timeout_s`)}
          />
          <TextInput
            label="Test report"
            placeholder="report.xml"
            className={classes.name}
            {...form.getInputProps(`gates.${index}.report`)}
            value={gate.report ?? ""}
            onChange={(event) =>
              form.setFieldValue(`gates.${index}.report`, event.currentTarget.value.trim() || null)
            }
          />
          <Group gap="md" className={classes.flags} wrap="nowrap">
            <Checkbox
              label="Required"
              {...form.getInputProps(`gates.${index}.required`, { type: "checkbox" })}
            />
            <Checkbox
              label="Network"
              {...form.getInputProps(`gates.${index}.network`, { type: "checkbox" })}
            />
            <Tooltip label="Remove this gate">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove gate ${gate.name || index + 1}`}
                onClick={() => form.removeListItem("gates", index)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Group>
        </li>
      ))}
    </Stack>
  );
}
