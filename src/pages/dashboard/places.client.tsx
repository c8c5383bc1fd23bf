/** Every page of the dashboard, and where the navigation has it. A new page is one more row. */
import type { ComponentType } from "preact"
import { AccountPage } from "./account-page.client.tsx"
import { AuditPage } from "./audit.client.tsx"
import { NewKeyPage } from "./key-new.client.tsx"
import { KeysPage } from "./keys.client.tsx"
import { MembersPage } from "./members.client.tsx"
import { OverviewPage } from "./overview.client.tsx"

export interface PageProps {
  /** What stands in the path for the pattern's `:names`. */
  readonly parameters: Readonly<Record<string, string>>
}

interface PagePattern {
  readonly pattern: string
  readonly page: ComponentType<PageProps>
}

/** An entry of the navigation, and the pages below it; the first is where the entry leads. */
export interface Place {
  readonly group: "" | "Verification" | "Marketplace" | "Company"
  readonly label: string
  readonly onlyOwners?: true
  readonly pages: readonly [PagePattern, ...ReadonlyArray<PagePattern>]
}

export const places: ReadonlyArray<Place> = [
  { group: "", label: "Overview", pages: [{ pattern: "/dashboard", page: OverviewPage }] },
  {
    group: "",
    label: "API keys",
    pages: [
      { pattern: "/dashboard/keys", page: KeysPage },
      { pattern: "/dashboard/keys/new", page: NewKeyPage }
    ]
  },
  { group: "Company", label: "Members", pages: [{ pattern: "/dashboard/members", page: MembersPage }] },
  {
    group: "Company",
    label: "Audit trail",
    onlyOwners: true,
    pages: [{ pattern: "/dashboard/audit", page: AuditPage }]
  },
  { group: "Company", label: "Your account", pages: [{ pattern: "/dashboard/account", page: AccountPage }] }
]
