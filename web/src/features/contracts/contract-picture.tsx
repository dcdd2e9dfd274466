import { lazy, Suspense } from "react";
import type { Contract } from "@/lib/api";
import { LayerPicture } from "./layer-picture";
import { PhaseTimeline } from "./phase-timeline";
import { Waiting } from "./waiting";

const EntityDiagram = lazy(() => import("./entity-diagram"));
const EndpointTable = lazy(() => import("./endpoint-table"));

/** A contract as what it speaks of, for those that speak of something to look at. */
export function ContractPicture({ contract: { type, content } }: { contract: Contract }) {
  if (type === "boundaries") return <LayerPicture text={content} />;
  if (type === "phases") return <PhaseTimeline text={content} />;
  return (
    <Suspense fallback={<Waiting />}>
      {type === "schema" ? <EntityDiagram text={content} /> : <EndpointTable text={content} />}
    </Suspense>
  );
}
