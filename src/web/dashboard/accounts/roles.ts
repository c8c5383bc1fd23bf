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
  viewer: { label: "Viewer", article: "a", may: "see everything, but change nothing" }
} as const satisfies Record<Role, unknown>

export const roleChoices = (["owner", "member", "viewer"] as const).map(
  (role) => [role, roles[role].label] as const
)
