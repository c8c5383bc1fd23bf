import type { NavigationEntry } from "../common/page.ts"

export const members: NavigationEntry = {
  group: "Company",
  label: "Members",
  icon: "members",
  pages: [{ address: "/dashboard/members", load: async () => (await import("./members.tsx")).MembersPage }]
}

export const ownAccount: NavigationEntry = {
  group: "Company",
  label: "Your account",
  icon: "account",
  forReviewers: true,
  pages: [
    { address: "/dashboard/account", load: async () => (await import("./own-account.tsx")).AccountPage }
  ]
}
