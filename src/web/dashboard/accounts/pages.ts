import type { NavigationEntry } from "../common/page.ts"
import { MembersPage } from "./members.tsx"
import { AccountPage } from "./own-account.tsx"

export const members: NavigationEntry = {
  group: "Company",
  label: "Members",
  pages: [{ address: "/dashboard/members", page: MembersPage }]
}

export const ownAccount: NavigationEntry = {
  group: "Company",
  label: "Your account",
  forReviewers: true,
  pages: [{ address: "/dashboard/account", page: AccountPage }]
}
