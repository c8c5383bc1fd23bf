import type { NavigationEntry } from "../common/page.ts"
import { AuditPage } from "./audit.tsx"

export const audit: NavigationEntry = {
  group: "Company",
  label: "Audit trail",
  onlyOwners: true,
  pages: [{ address: "/dashboard/audit", page: AuditPage }]
}
