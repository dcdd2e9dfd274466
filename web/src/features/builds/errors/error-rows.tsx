import { Virtuoso } from "react-virtuoso";
import type { ProjectError } from "@/lib/api";
import classes from "./errors.module.css";
import { ProjectErrorCard } from "./project-error-card";

/** Longer lists are virtualized. */
const MANY = 200;

interface ErrorRowsProps {
  projectId: string;
  errors: ProjectError[];
}

export function ErrorRows({ projectId, errors }: ErrorRowsProps) {
  if (errors.length <= MANY) {
    return (
      <ul className={classes.list} aria-label="Errors of all builds">
        {errors.map((error) => (
          <li key={error.fingerprint}>
            <ProjectErrorCard projectId={projectId} error={error} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <section aria-label="Errors of all builds">
      <Virtuoso
        useWindowScroll
        data={errors}
        computeItemKey={(_, { fingerprint }) => fingerprint}
        itemContent={(_, error) => (
          <div className={classes.row}>
            <ProjectErrorCard projectId={projectId} error={error} />
          </div>
        )}
      />
    </section>
  );
}
