export const ROLES = [
  { value: "user", label: "User: can create and build projects" },
  { value: "admin", label: "Administrator: can also manage users and review builds" },
];
