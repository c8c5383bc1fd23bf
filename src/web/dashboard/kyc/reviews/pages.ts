import type { NavigationEntry } from "../../common/page.ts"
import { QueuePage } from "./queue.tsx"
import { ReviewPage } from "./review.tsx"

export const reviews: NavigationEntry = {
  group: "Verification",
  label: "Reviews",
  forReviewers: true,
  pages: [
    { address: "/dashboard/reviews", page: QueuePage },
    { address: "/dashboard/reviews/:id", page: ReviewPage }
  ]
}
