import type { NavigationEntry } from "../../common/page.ts"

export const sessions: NavigationEntry = {
  group: "Verification",
  label: "Sessions",
  icon: "sessions",
  forReviewers: true,
  pages: [
    { address: "/dashboard/sessions", load: async () => (await import("./sessions.tsx")).SessionsPage },
    { address: "/dashboard/sessions/:id", load: async () => (await import("./session.tsx")).SessionPage },
    { address: "/dashboard/sessions/:id/report", load: async () => (await import("./report.tsx")).ReportPage }
  ]
}
