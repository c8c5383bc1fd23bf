import { members, ownAccount } from "./accounts/pages.ts"
import { audit } from "./audit/pages.ts"
import type { NavigationEntry } from "./common/page.ts"
import { events } from "./events/pages.ts"
import { keys } from "./keys/pages.ts"
import { instances } from "./kyc/instances/pages.ts"
import { reviews } from "./kyc/reviews/pages.ts"
import { sessions } from "./kyc/sessions/pages.ts"
import { catalog, publishing, subscriptions } from "./marketplace/pages.ts"
import { overview } from "./overview/pages.ts"
import { webhooks } from "./webhooks/pages.ts"

/** What the features add to the dashboard, for the router and the navigation. */
export const navigation: ReadonlyArray<NavigationEntry> = [
  overview,
  instances,
  reviews,
  sessions,
  catalog,
  subscriptions,
  publishing,
  keys,
  events,
  webhooks,
  members,
  audit,
  ownAccount
]
