import type { NavigationEntry } from "../../common/page.ts"

export const reviews: NavigationEntry = {
  group: "Verification",
  label: "Reviews",
  icon: "reviews",
  forReviewers: true,
  pages: [
    { address: "/dashboard/reviews", load: async () => (await import("./queue.tsx")).QueuePage },
    { address: "/dashboard/reviews/:id", load: async () => (await import("./review.tsx")).ReviewPage }
  ]
}
