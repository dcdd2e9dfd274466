import { Text } from "@mantine/core";
import { useState } from "react";
import type { FileDiff } from "@/lib/api";
import classes from "./picture-diff.module.css";

export type PictureOf = (side: "old" | "new", path: string) => string;

interface PictureDiffProps {
  diff: FileDiff;
  pictureOf: PictureOf;
}

/** A picture before and after a change, beside each other where there is room. */
export function PictureDiff({ diff: { path, old_path, status }, pictureOf }: PictureDiffProps) {
  return (
    <div className={classes.pictures}>
      {status !== "added" && (
        <Picture key="old" label="Before" source={pictureOf("old", old_path ?? path)} />
      )}
      {status !== "deleted" && <Picture key="new" label="After" source={pictureOf("new", path)} />}
    </div>
  );
}

function Picture({ label, source }: { label: string; source: string }) {
  const [size, setSize] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  return (
    <figure className={classes.picture}>
      {failed ? (
        <Text fz="sm" c="dimmed" role="status">
          It cannot be shown here. Clone the branch to look at it.
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
        {size && <span className={classes.size}>{size}</span>}
      </figcaption>
    </figure>
  );
}
