/** The roles of a company's users, in words. */
import type { Role } from "../common/account.ts"

export const roles = {
  owner: { label: "Owner", article: "an", may: "everything, also who else is a member" },
  member: { label: "Member", article: "a", may: "everything but the company's members" },
  viewer: { label: "Viewer", article: "a", may: "looking at everything, and changing nothing" }
} as const satisfies Record<Role, unknown>

export const roleChoices = [
  { value: "owner", label: roles.owner.label },
  { value: "member", label: roles.member.label },
  { value: "viewer", label: roles.viewer.label }
] as const
