/** Every page of the dashboard, and where the navigation has it. A new page is one more row. */
import type { ComponentType } from "preact"
import { MembersPage } from "./accounts/members.tsx"
import { AccountPage } from "./accounts/own-account.tsx"
import { AuditPage } from "./audit/audit.tsx"
import { NewKeyPage } from "./keys/key-new.tsx"
import { KeysPage } from "./keys/keys.tsx"
import { InstancePage } from "./kyc/instances/instance.tsx"
import { InstanceEditPage } from "./kyc/instances/instance-edit.tsx"
import { NewInstancePage } from "./kyc/instances/instance-new.tsx"
import { InstancesPage } from "./kyc/instances/instances.tsx"
import { SessionPage } from "./kyc/sessions/session.tsx"
import { SessionsPage } from "./kyc/sessions/sessions.tsx"
import { BrowsePage } from "./marketplace/catalog/browse.tsx"
import { ListedApiPage } from "./marketplace/catalog/listed-api.tsx"
import { EditApiPage, NewApiPage } from "./marketplace/publishing/api-form.tsx"
import { ApiUsagePage } from "./marketplace/publishing/api-usage.tsx"
import { OwnApiPage } from "./marketplace/publishing/own-api-page.tsx"
import { NewPlanPage } from "./marketplace/publishing/plan-new.tsx"
import { PublishingPage } from "./marketplace/publishing/publishing.tsx"
import { NewVersionPage } from "./marketplace/publishing/version-new.tsx"
import { NewKeyPage as NewMarketplaceKeyPage, RotateKeyPage } from "./marketplace/subscriptions/key-new.tsx"
import { SubscribePage } from "./marketplace/subscriptions/subscribe.tsx"
import { SubscriptionPage } from "./marketplace/subscriptions/subscription.tsx"
import { SubscriptionsPage } from "./marketplace/subscriptions/subscriptions.tsx"
import { OverviewPage } from "./overview.tsx"

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
  {
    group: "Verification",
    label: "Instances",
    pages: [
      { pattern: "/dashboard/instances", page: InstancesPage },
      { pattern: "/dashboard/instances/new", page: NewInstancePage },
      { pattern: "/dashboard/instances/:id", page: InstancePage },
      { pattern: "/dashboard/instances/:id/edit", page: InstanceEditPage }
    ]
  },
  {
    group: "Verification",
    label: "Sessions",
    pages: [
      { pattern: "/dashboard/sessions", page: SessionsPage },
      { pattern: "/dashboard/sessions/:id", page: SessionPage }
    ]
  },
  {
    group: "Marketplace",
    label: "Browse",
    pages: [
      { pattern: "/dashboard/marketplace", page: BrowsePage },
      { pattern: "/dashboard/marketplace/:id", page: ListedApiPage },
      { pattern: "/dashboard/marketplace/:id/subscribe", page: SubscribePage }
    ]
  },
  {
    group: "Marketplace",
    label: "Subscriptions",
    pages: [
      { pattern: "/dashboard/subscriptions", page: SubscriptionsPage },
      { pattern: "/dashboard/subscriptions/:id", page: SubscriptionPage },
      { pattern: "/dashboard/subscriptions/:id/keys/new", page: NewMarketplaceKeyPage },
      { pattern: "/dashboard/subscriptions/:id/keys/:keyId/rotate", page: RotateKeyPage }
    ]
  },
  {
    group: "Marketplace",
    label: "Publishing",
    pages: [
      { pattern: "/dashboard/publishing", page: PublishingPage },
      { pattern: "/dashboard/publishing/new", page: NewApiPage },
      { pattern: "/dashboard/publishing/:id", page: OwnApiPage },
      { pattern: "/dashboard/publishing/:id/edit", page: EditApiPage },
      { pattern: "/dashboard/publishing/:id/usage", page: ApiUsagePage },
      { pattern: "/dashboard/publishing/:id/versions/new", page: NewVersionPage },
      { pattern: "/dashboard/publishing/:id/plans/new", page: NewPlanPage }
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
