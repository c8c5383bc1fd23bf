import type { NavigationEntry } from "../common/page.ts"
import { BrowsePage } from "./catalog/browse.tsx"
import { ListedApiPage } from "./catalog/listed-api.tsx"
import { EditApiPage, NewApiPage } from "./publishing/api-form.tsx"
import { ApiUsagePage } from "./publishing/api-usage.tsx"
import { OwnApiPage } from "./publishing/own-api-page.tsx"
import { NewPlanPage } from "./publishing/plan-new.tsx"
import { PublishingPage } from "./publishing/publishing.tsx"
import { NewVersionPage } from "./publishing/version-new.tsx"
import { NewKeyPage, RotateKeyPage } from "./subscriptions/key-new.tsx"
import { SubscribePage } from "./subscriptions/subscribe.tsx"
import { SubscriptionPage } from "./subscriptions/subscription.tsx"
import { SubscriptionsPage } from "./subscriptions/subscriptions.tsx"

export const catalog: NavigationEntry = {
  group: "Marketplace",
  label: "Browse",
  pages: [
    { address: "/dashboard/marketplace", page: BrowsePage },
    { address: "/dashboard/marketplace/:id", page: ListedApiPage },
    { address: "/dashboard/marketplace/:id/subscribe", page: SubscribePage }
  ]
}

export const subscriptions: NavigationEntry = {
  group: "Marketplace",
  label: "Subscriptions",
  pages: [
    { address: "/dashboard/subscriptions", page: SubscriptionsPage },
    { address: "/dashboard/subscriptions/:id", page: SubscriptionPage },
    { address: "/dashboard/subscriptions/:id/keys/new", page: NewKeyPage },
    { address: "/dashboard/subscriptions/:id/keys/:keyId/rotate", page: RotateKeyPage }
  ]
}

export const publishing: NavigationEntry = {
  group: "Marketplace",
  label: "Publishing",
  pages: [
    { address: "/dashboard/publishing", page: PublishingPage },
    { address: "/dashboard/publishing/new", page: NewApiPage },
    { address: "/dashboard/publishing/:id", page: OwnApiPage },
    { address: "/dashboard/publishing/:id/edit", page: EditApiPage },
    { address: "/dashboard/publishing/:id/usage", page: ApiUsagePage },
    { address: "/dashboard/publishing/:id/versions/new", page: NewVersionPage },
    { address: "/dashboard/publishing/:id/plans/new", page: NewPlanPage }
  ]
}
