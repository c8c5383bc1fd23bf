import type { NavigationEntry } from "../common/page.ts"

export const catalog: NavigationEntry = {
  group: "Marketplace",
  label: "Browse",
  icon: "browse",
  pages: [
    {
      address: "/dashboard/marketplace",
      load: async () => (await import("./catalog/browse.tsx")).BrowsePage
    },
    {
      address: "/dashboard/marketplace/:id",
      load: async () => (await import("./catalog/listed-api.tsx")).ListedApiPage
    },
    {
      address: "/dashboard/marketplace/:id/subscribe",
      load: async () => (await import("./subscriptions/subscribe.tsx")).SubscribePage
    }
  ]
}

export const subscriptions: NavigationEntry = {
  group: "Marketplace",
  label: "Subscriptions",
  icon: "subscriptions",
  pages: [
    {
      address: "/dashboard/subscriptions",
      load: async () => (await import("./subscriptions/subscriptions.tsx")).SubscriptionsPage
    },
    {
      address: "/dashboard/subscriptions/:id",
      load: async () => (await import("./subscriptions/subscription.tsx")).SubscriptionPage
    },
    {
      address: "/dashboard/subscriptions/:id/keys/new",
      load: async () => (await import("./subscriptions/key-new.tsx")).NewKeyPage
    },
    {
      address: "/dashboard/subscriptions/:id/keys/:keyId/rotate",
      load: async () => (await import("./subscriptions/key-new.tsx")).RotateKeyPage
    }
  ]
}

export const publishing: NavigationEntry = {
  group: "Marketplace",
  label: "Publishing",
  icon: "publishing",
  pages: [
    {
      address: "/dashboard/publishing",
      load: async () => (await import("./publishing/publishing.tsx")).PublishingPage
    },
    {
      address: "/dashboard/publishing/new",
      load: async () => (await import("./publishing/api-form.tsx")).NewApiPage
    },
    {
      address: "/dashboard/publishing/:id",
      load: async () => (await import("./publishing/own-api-page.tsx")).OwnApiPage
    },
    {
      address: "/dashboard/publishing/:id/edit",
      load: async () => (await import("./publishing/api-form.tsx")).EditApiPage
    },
    {
      address: "/dashboard/publishing/:id/usage",
      load: async () => (await import("./publishing/api-usage.tsx")).ApiUsagePage
    },
    {
      address: "/dashboard/publishing/:id/versions/new",
      load: async () => (await import("./publishing/version-new.tsx")).NewVersionPage
    },
    {
      address: "/dashboard/publishing/:id/plans/new",
      load: async () => (await import("./publishing/plan-new.tsx")).NewPlanPage
    }
  ]
}
