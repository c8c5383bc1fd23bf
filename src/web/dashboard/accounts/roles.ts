import type { Role } from "../common/account.ts"

export const roles = {
  owner: {
    label: "Owner",
    article: "an",
    may: "do everything, including managing members and reading the audit trail"
  },
  member: {
    label: "Member",
    article: "a",
    may: "do everything except managing members and reading the audit trail"
  },
  reviewer: { label: "Reviewer", article: "a", may: "see sessions and decide on them, but nothing else" },
  viewer: { label: "Viewer", article: "a", may: "view everything, but not change it" }
} as const satisfies Record<Role, unknown>

export const roleChoices = (["owner", "member", "reviewer", "viewer"] as const).map(
  (role) => [role, roles[role].label] as const
)
