import { Box, Text } from "@mantine/core";
import { useState } from "react";
import type { FileDiff } from "@/lib/api";
import classes from "./image-diff.module.css";

interface PictureDiffProps {
  diff: FileDiff;
  /** The URL of the image on a side. */
  pictureOf: (side: "old" | "new", path: string) => string;
}

/** An image before and after a change, side by side if there is space. */
export function ImageDiff({ diff: { path, old_path, status }, pictureOf }: PictureDiffProps) {
  return (
    <Box component="section" aria-label="Pictures" tabIndex={0} className={classes.pictures}>
      {status !== "added" && (
        <Picture key="old" label="Before" source={pictureOf("old", old_path ?? path)} />
      )}
      {status !== "deleted" && <Picture key="new" label="After" source={pictureOf("new", path)} />}
    </Box>
  );
}

function Picture({ label, source }: { label: string; source: string }) {
  const [size, setSize] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  return (
    <figure className={classes.picture}>
      {failed ? (
        <Text fz="sm" c="dimmed" role="status">
          This image cannot be displayed. Clone the branch to view it.
        </Text>
      ) : (
        <img
          src={source}
          alt={label}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize(`${naturalWidth} × ${naturalHeight}`)
          }
          onError={() => setFailed(true)}
        />
      )}
      <figcaption>
        {label}
        {size && (
          <Text span inherit c="dimmed" fw={400} className="tabular">
            {size}
          </Text>
        )}
      </figcaption>
    </figure>
  );
}
