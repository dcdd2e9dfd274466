// Valid texts of contracts for a garden diary.
const PHASES = [0, 1]
  .map(
    (n) =>
      `## Phase ${n} — Part ${n}\n\n**Deliverables:**\n- \`note\`\n\n**Exit criteria:**\n- it notes\n`,
  )
  .join("\n");
const SCHEMA = `# Schema

## gardener
| field | type | rule |
|---|---|---|
| id | uuid | primary key |
| name | text | 1 to 80 characters |

## bed
| field | type | rule |
|---|---|---|
| id | uuid | primary key |
| keeper_id | uuid | names one of \`gardener\`, may be empty |

## note
| field | type | rule |
|---|---|---|
| id | uuid | primary key |
| bed_id | uuid | names one of \`bed\` |
| text | text | 1 to 200 characters |
`;

export function newContract(type: string): string {
  switch (type) {
    case "physics":
      return "endpoints:\n  - { name: note, call: diary note }\n";
    case "boundaries":
      return '{"layers": [{"name": "rules", "paths": ["diary/**"], "may_import": []}]}\n';
    case "phases":
      return PHASES;
    case "schema":
      return SCHEMA;
    default:
      return `# The ${type}\n\nIt keeps notes on what grows where.\n`;
  }
}
