import { Box, Stack, Text } from "@mantine/core";
import classes from "./diagrams.module.css";
import { type Layer, readLayers } from "./layers";
import { UnreadableContract } from "./unreadable-contract";

/** The boundaries contract as a diagram: upper layers may import lower ones. */
export function LayerDiagram({ text }: { text: string }) {
  const rows = readLayers(text);
  if (!rows) return <UnreadableContract what="layer" />;
  return (
    <Stack gap={28}>
      {rows.map((row) => (
        <ul key={row[0]?.name} className={`plain-list ${classes.row}`}>
          {row.map((layer) => (
            <LayerBox key={layer.name} layer={layer} />
          ))}
        </ul>
      ))}
    </Stack>
  );
}

function LayerBox({ layer: { name, paths, rule, imports, outside } }: { layer: Layer }) {
  return (
    <Box
      component="li"
      px="md"
      py="sm"
      bg="var(--surface-sunken)"
      bd="1px solid var(--line)"
      bdrs="md"
    >
      <Text fw={650}>{name}</Text>
      <Text fz="xs" ff="monospace" c="dimmed">
        {paths.join(", ")}
      </Text>
      {rule && (
        <Text fz="sm" mt={6}>
          {rule}
        </Text>
      )}
      <Text fz="xs" c="dimmed" mt={6}>
        {imports.length > 0 ? `May import ${imports.join(", ")}` : "Imports no other layer"}
        {outside.length > 0 && `; external: ${outside.join(", ")}`}
      </Text>
    </Box>
  );
}
