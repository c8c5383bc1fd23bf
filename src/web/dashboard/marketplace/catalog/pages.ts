import type { NavigationEntry } from "../../common/page.ts"
import { SubscribePage } from "../subscriptions/subscribe.tsx"
import { BrowsePage } from "./browse.tsx"
import { ListedApiPage } from "./listed-api.tsx"

export const catalog: NavigationEntry = {
  group: "Marketplace",
  label: "Browse",
  pages: [
    { address: "/dashboard/marketplace", page: BrowsePage },
    { address: "/dashboard/marketplace/:id", page: ListedApiPage },
    { address: "/dashboard/marketplace/:id/subscribe", page: SubscribePage }
  ]
}
