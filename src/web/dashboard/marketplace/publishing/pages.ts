import type { NavigationEntry } from "../../common/page.ts"
import { EditApiPage, NewApiPage } from "./api-form.tsx"
import { ApiUsagePage } from "./api-usage.tsx"
import { OwnApiPage } from "./own-api-page.tsx"
import { NewPlanPage } from "./plan-new.tsx"
import { PublishingPage } from "./publishing.tsx"
import { NewVersionPage } from "./version-new.tsx"

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
