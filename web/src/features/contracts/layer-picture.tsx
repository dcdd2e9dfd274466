import { Text } from "@mantine/core";
import { type Layer, readLayers } from "./layers";
import classes from "./pictures.module.css";
import { Unreadable } from "./unreadable";

/** The boundaries contract as rows of layers: what is above may import what is below. */
export function LayerPicture({ text }: { text: string }) {
  const rows = readLayers(text);
  if (!rows) return <Unreadable what="layer" />;
  return (
    <div className={classes.rows}>
      {rows.map((row) => (
        <ul key={row[0]?.name} className={classes.row}>
          {row.map((layer) => (
            <LayerBox key={layer.name} layer={layer} />
          ))}
        </ul>
      ))}
    </div>
  );
}

function LayerBox({ layer: { name, paths, rule, imports, outside } }: { layer: Layer }) {
  return (
    <li className={classes.layer}>
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
        {outside.length > 0 && `; from outside ${outside.join(", ")}`}
      </Text>
    </li>
  );
}
