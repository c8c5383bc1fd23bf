import type { NavigationEntry } from "../../common/page.ts"
import { ReportPage } from "./report.tsx"
import { SessionPage } from "./session.tsx"
import { SessionsPage } from "./sessions.tsx"

export const sessions: NavigationEntry = {
  group: "Verification",
  label: "Sessions",
  forReviewers: true,
  pages: [
    { address: "/dashboard/sessions", page: SessionsPage },
    { address: "/dashboard/sessions/:id", page: SessionPage },
    { address: "/dashboard/sessions/:id/report", page: ReportPage }
  ]
}
