// What people may do, in words.
export const ROLES = [
  { value: "user", label: "User: has projects and builds them" },
  { value: "admin", label: "Admin: manages accounts and reviews too" },
];
