import { lazy, Suspense } from "react";
import { CenteredLoader } from "@/components/centered-loader";
import type { Contract } from "@/lib/api";
import { LayerDiagram } from "./layer-diagram";
import { PhaseTimeline } from "./phase-timeline";

const EntityDiagram = lazy(() => import("./entity-diagram"));
const EndpointTable = lazy(() => import("./endpoint-table"));

/** A contract as a diagram, for the types that have one. */
export function ContractDiagram({ contract: { type, content, phases } }: { contract: Contract }) {
  if (type === "boundaries") return <LayerDiagram text={content} />;
  if (type === "phases") return <PhaseTimeline phases={phases} />;
  return (
    <Suspense fallback={<CenteredLoader />}>
      {type === "schema" ? <EntityDiagram text={content} /> : <EndpointTable text={content} />}
    </Suspense>
  );
}
