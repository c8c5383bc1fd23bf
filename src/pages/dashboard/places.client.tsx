/** Every page of the dashboard, and where the navigation has it. A new page is one more row. */
import type { ComponentType } from "preact"
import { AccountPage } from "./account-page.client.tsx"
import { AuditPage } from "./audit.client.tsx"
import { NewKeyPage } from "./key-new.client.tsx"
import { KeysPage } from "./keys.client.tsx"
import { InstancePage } from "./kyc/instance.client.tsx"
import { InstanceEditPage } from "./kyc/instance-edit.client.tsx"
import { NewInstancePage } from "./kyc/instance-new.client.tsx"
import { InstancesPage } from "./kyc/instances.client.tsx"
import { SessionPage } from "./kyc/session.client.tsx"
import { SessionsPage } from "./kyc/sessions.client.tsx"
import { BrowsePage } from "./marketplace/browse.client.tsx"
import { NewKeyPage as NewMarketplaceKeyPage, RotateKeyPage } from "./marketplace/key-new.client.tsx"
import { ListedApiPage } from "./marketplace/listed-api.client.tsx"
import { SubscribePage } from "./marketplace/subscribe.client.tsx"
import { SubscriptionPage } from "./marketplace/subscription.client.tsx"
import { SubscriptionsPage } from "./marketplace/subscriptions.client.tsx"
import { MembersPage } from "./members.client.tsx"
import { OverviewPage } from "./overview.client.tsx"
import { EditApiPage, NewApiPage } from "./publishing/api-form.client.tsx"
import { ApiUsagePage } from "./publishing/api-usage.client.tsx"
import { OwnApiPage } from "./publishing/own-api-page.client.tsx"
import { NewPlanPage } from "./publishing/plan-new.client.tsx"
import { PublishingPage } from "./publishing/publishing.client.tsx"
import { NewVersionPage } from "./publishing/version-new.client.tsx"

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
