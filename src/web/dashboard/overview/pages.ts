import type { NavigationEntry } from "../common/page.ts"
import { OverviewPage } from "./overview.tsx"

export const overview: NavigationEntry = {
  group: "",
  label: "Overview",
  pages: [{ address: "/dashboard", page: OverviewPage }]
}
