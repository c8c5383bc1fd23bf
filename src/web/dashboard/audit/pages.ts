import type { NavigationEntry } from "../common/page.ts"

export const audit: NavigationEntry = {
  group: "Company",
  label: "Audit trail",
  icon: "audit",
  onlyOwners: true,
  pages: [{ address: "/dashboard/audit", load: async () => (await import("./audit.tsx")).AuditPage }]
}
