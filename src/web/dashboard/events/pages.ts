import type { NavigationEntry } from "../common/page.ts"

export const events: NavigationEntry = {
  group: "Developers",
  label: "Events",
  icon: "events",
  pages: [
    { address: "/dashboard/events", load: async () => (await import("./events.tsx")).EventsPage },
    { address: "/dashboard/events/:id", load: async () => (await import("./event.tsx")).EventPage }
  ]
}
