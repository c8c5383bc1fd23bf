import type { NavigationEntry } from "../common/page.ts"

export const overview: NavigationEntry = {
  group: "",
  label: "Overview",
  icon: "overview",
  pages: [{ address: "/dashboard", load: async () => (await import("./overview.tsx")).OverviewPage }]
}
