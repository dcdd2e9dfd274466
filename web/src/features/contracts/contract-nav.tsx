import { Box, NativeSelect, VisuallyHidden } from "@mantine/core";
import { useNavigate } from "react-router";
import { SideLink } from "@/components/side-link";
import { CONTRACT_TYPES, contractName } from "@/domain/contract-names";
import type { ContractType } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useFindings } from "./api";
import classes from "./contracts.module.css";
import { findingCounts } from "./findings/findings-by-contract";

interface ContractNavProps {
  projectId: string;
  type: ContractType;
}

/** A list of contracts, or a select on narrow screens. */
export function ContractNav({ projectId, type }: ContractNavProps) {
  const navigate = useNavigate();
  const counts = findingCounts(useFindings(projectId).data ?? []);
  return (
    <nav className={classes.nav} aria-label="Contracts">
      <Box component="ol" className="plain-list" visibleFrom="md">
        {CONTRACT_TYPES.map((each, index) => {
          const found = counts.get(each) ?? 0;
          return (
            <li key={each}>
              <SideLink
                to={paths.contract(projectId, each)}
                current={each === type ? "page" : undefined}
                mark={index + 1}
                label={contractName(each)}
                note={
                  found > 0 && (
                    <Box
                      component="span"
                      c="var(--tone-waiting-text)"
                      fz="xs"
                      fw={600}
                      title={plural(found, "finding")}
                    >
                      {found}
                      <VisuallyHidden component="span">
                        {" "}
                        {found === 1 ? "finding" : "findings"}
                      </VisuallyHidden>
                    </Box>
                  )
                }
              />
            </li>
          );
        })}
      </Box>
      <NativeSelect
        hiddenFrom="md"
        aria-label="Contract"
        value={type}
        data={CONTRACT_TYPES.map((each, index) => ({
          value: each,
          label: `${index + 1} · ${contractName(each)}`,
        }))}
        onChange={(event) => navigate(paths.contract(projectId, event.currentTarget.value))}
      />
    </nav>
  );
}
