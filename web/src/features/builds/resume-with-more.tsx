import { Button, Group, Modal, NumberInput, SimpleGrid, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useActions } from "@/lib/actions";

interface Added {
  iterations: number;
  minutes: number;
  tokens: number;
  usd_micros: number;
}

const FIELDS: { key: keyof Added; label: string; step: number; scale: number }[] = [
  { key: "iterations", label: "Rounds per phase", step: 1, scale: 1 },
  { key: "minutes", label: "Minutes of work", step: 10, scale: 1 },
  { key: "tokens", label: "Tokens", step: 100_000, scale: 1 },
  { key: "usd_micros", label: "US dollars", step: 1, scale: 1_000_000 },
];

/** A blocked build goes on, with more of what it ran out of where that was the reason. */
export function ResumeWithMore({ onResume }: { onResume: (add: Added) => void }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [added, setAdded] = useState<Added>({
    iterations: 0,
    minutes: 0,
    tokens: 0,
    usd_micros: 0,
  });
  useActions([{ name: "resume", run: open }]);
  return (
    <>
      <Button size="xs" leftSection={<IconPlayerPlay size={14} aria-hidden />} onClick={open}>
        Resume
      </Button>
      <Modal opened={opened} onClose={close} title="Resume the build" centered zIndex={320}>
        <Text fz="sm" c="dimmed" mb="md">
          Add to what it ran out of. Leave everything at 0 to let it try again as it is.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {FIELDS.map(({ key, label, step, scale }) => (
            <NumberInput
              key={key}
              label={label}
              min={0}
              step={step}
              thousandSeparator=","
              value={added[key] / scale}
              onChange={(value) =>
                setAdded({ ...added, [key]: Math.round(Number(value || 0) * scale) })
              }
            />
          ))}
        </SimpleGrid>
        <Group justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={close}>
            Not now
          </Button>
          <Button
            onClick={() => {
              close();
              onResume(added);
            }}
          >
            Resume
          </Button>
        </Group>
      </Modal>
    </>
  );
}
