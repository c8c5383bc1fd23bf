import type { NavigationEntry } from "../common/page.ts"
import { EventPage } from "./event.tsx"
import { EventsPage } from "./events.tsx"

export const events: NavigationEntry = {
  group: "Company",
  label: "Events",
  pages: [
    { address: "/dashboard/events", page: EventsPage },
    { address: "/dashboard/events/:id", page: EventPage }
  ]
}
