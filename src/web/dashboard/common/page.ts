/** What a feature adds to the dashboard: entries of the navigation, each with its pages. */
import type { ComponentType } from "preact"

export interface PageProps {
  /** What stands in the path for the `:names` of the page's address. */
  readonly parameters: Readonly<Record<string, string>>
}

interface DashboardPage {
  /** Path with `:names` for parameters. */
  readonly address: string
  readonly page: ComponentType<PageProps>
}

/** An entry of the navigation, and the pages below it; the first is where the entry leads. */
export interface NavigationEntry {
  readonly group: "" | "Verification" | "Marketplace" | "Company"
  readonly label: string
  readonly onlyOwners?: true
  readonly pages: readonly [DashboardPage, ...ReadonlyArray<DashboardPage>]
}
