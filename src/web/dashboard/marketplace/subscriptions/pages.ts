import type { NavigationEntry } from "../../common/page.ts"
import { NewKeyPage, RotateKeyPage } from "./key-new.tsx"
import { SubscriptionPage } from "./subscription.tsx"
import { SubscriptionsPage } from "./subscriptions.tsx"

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
