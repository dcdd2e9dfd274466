import { Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { TimeAgo } from "@/components/time-ago";
import type { Generation } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { formatDuration, plural } from "@/lib/format";
import classes from "./generation.module.css";
import { isOffline, spentWords } from "./generation-words";
import { Refusals } from "./refusals";

/** What the newest run has written, and what it took. */
export function Finished({ generation }: { generation: Generation }) {
  const { contracts, started_at, finished_at, model } = generation;
  const offline = isOffline(generation);
  const took =
    started_at && finished_at
      ? formatDuration(Date.parse(finished_at) - Date.parse(started_at))
      : null;
  const facts = [offline ? "Offline draft" : model, took, spentWords(generation)].filter(Boolean);
  const [only] = contracts;
  const title =
    contracts.length === 1 && only
      ? `${contractName(only.type)} is written`
      : `${plural(contracts.length, "contract")} are written`;
  return (
    <div className={classes.offer}>
      <span className={classes.mark} data-good>
        <IconCircleCheck size={22} aria-hidden />
      </span>
      <div className={classes.text}>
        <Title order={2}>{title}</Title>
        <Text fz="sm" c="dimmed" mt={2}>
          {facts.join(" · ")}
          {finished_at && (
            <>
              {" · "}
              <TimeAgo at={finished_at} />
            </>
          )}
        </Text>
        {offline && (
          <Text fz="sm" mt={4}>
            Without a model, contracts are drafts made from your answers. Read them, and edit what
            does not fit, before you build.
          </Text>
        )}
        <Refusals contracts={contracts} />
      </div>
    </div>
  );
}
