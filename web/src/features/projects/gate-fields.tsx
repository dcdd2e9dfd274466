import { ActionIcon, Checkbox, NumberInput, Text, TextInput, Tooltip } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import { FieldRow, MONOSPACE_INPUT } from "@/components/field-row";
import type { ProjectSettings } from "@/lib/api";

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
    <ul className="plain-list lined">
      {gates.map((gate, index) => (
        <FieldRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a gate has no other identity while its name is typed
          key={index}
          tools={
            <>
              <Checkbox
                label="Required"
                {...form.getInputProps(`gates.${index}.required`, { type: "checkbox" })}
              />
              <Checkbox
                label="Runs tests"
                {...form.getInputProps(`gates.${index}.runs_tests`, { type: "checkbox" })}
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
            </>
          }
        >
          <TextInput label="Name" flex="1 1 8rem" {...form.getInputProps(`gates.${index}.name`)} />
          <TextInput
            label="Command"
            flex="4 1 16rem"
            styles={MONOSPACE_INPUT}
            {...form.getInputProps(`gates.${index}.command`)}
          />
          <NumberInput
            label="Time limit (s)"
            min={1}
            max={3600}
            flex="0 0 7.5rem"
            {...form.getInputProps(`gates.${index}.timeout_s`)}
          />
          <TextInput
            label="Test report"
            placeholder="report.xml"
            flex="1 1 8rem"
            {...form.getInputProps(`gates.${index}.report`)}
            value={gate.report ?? ""}
            onChange={(event) =>
              form.setFieldValue(`gates.${index}.report`, event.currentTarget.value.trim() || null)
            }
          />
        </FieldRow>
      ))}
    </ul>
  );
}
