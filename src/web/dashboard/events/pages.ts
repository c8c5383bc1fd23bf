import type { NavigationEntry } from "../common/page.ts"

export const events: NavigationEntry = {
  group: "Company",
  label: "Events",
  pages: [
    { address: "/dashboard/events", load: async () => (await import("./events.tsx")).EventsPage },
    { address: "/dashboard/events/:id", load: async () => (await import("./event.tsx")).EventPage }
  ]
}
