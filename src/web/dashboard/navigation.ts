import type { NavigationEntry } from "./common/page.ts"

/** What the features add to the dashboard, for the router and the navigation. */
export const navigation: ReadonlyArray<NavigationEntry> = [
  {
    group: "",
    label: "Overview",
    icon: "overview",
    pages: [
      { address: "/dashboard", load: async () => (await import("./overview/overview.tsx")).OverviewPage }
    ]
  },
  {
    group: "Verification",
    label: "Instances",
    icon: "instances",
    pages: [
      {
        address: "/dashboard/instances",
        load: async () => (await import("./kyc/instances/instances.tsx")).InstancesPage
      },
      {
        address: "/dashboard/instances/new",
        load: async () => (await import("./kyc/instances/instances.tsx")).NewInstancePage
      },
      {
        address: "/dashboard/instances/:id",
        load: async () => (await import("./kyc/instances/instance.tsx")).InstancePage
      },
      {
        address: "/dashboard/instances/:id/edit",
        load: async () => (await import("./kyc/instances/instance-edit.tsx")).InstanceEditPage
      }
    ]
  },
  {
    group: "Verification",
    label: "Reviews",
    icon: "reviews",
    forReviewers: true,
    pages: [
      {
        address: "/dashboard/reviews",
        load: async () => (await import("./kyc/reviews/queue.tsx")).QueuePage
      },
      {
        address: "/dashboard/reviews/:id",
        load: async () => (await import("./kyc/reviews/review.tsx")).ReviewPage
      }
    ]
  },
  {
    group: "Verification",
    label: "Sessions",
    icon: "sessions",
    forReviewers: true,
    pages: [
      {
        address: "/dashboard/sessions",
        load: async () => (await import("./kyc/sessions/sessions.tsx")).SessionsPage
      },
      {
        address: "/dashboard/sessions/:id",
        load: async () => (await import("./kyc/sessions/session.tsx")).SessionPage
      },
      {
        address: "/dashboard/sessions/:id/report",
        load: async () => (await import("./kyc/sessions/report.tsx")).ReportPage
      }
    ]
  },
  {
    group: "Marketplace",
    label: "Browse",
    icon: "browse",
    pages: [
      {
        address: "/dashboard/marketplace",
        load: async () => (await import("./marketplace/catalog/browse.tsx")).BrowsePage
      },
      {
        address: "/dashboard/marketplace/:id",
        load: async () => (await import("./marketplace/catalog/listed-api.tsx")).ListedApiPage
      },
      {
        address: "/dashboard/marketplace/:id/subscribe",
        load: async () => (await import("./marketplace/subscriptions/subscribe.tsx")).SubscribePage
      }
    ]
  },
  {
    group: "Marketplace",
    label: "Subscriptions",
    icon: "subscriptions",
    pages: [
      {
        address: "/dashboard/subscriptions",
        load: async () => (await import("./marketplace/subscriptions/subscriptions.tsx")).SubscriptionsPage
      },
      {
        address: "/dashboard/subscriptions/:id",
        load: async () => (await import("./marketplace/subscriptions/subscription.tsx")).SubscriptionPage
      },
      {
        address: "/dashboard/subscriptions/:id/keys/new",
        load: async () => (await import("./marketplace/subscriptions/key-new.tsx")).NewKeyPage
      },
      {
        address: "/dashboard/subscriptions/:id/keys/:keyId/rotate",
        load: async () => (await import("./marketplace/subscriptions/key-new.tsx")).RotateKeyPage
      }
    ]
  },
  {
    group: "Marketplace",
    label: "Publishing",
    icon: "publishing",
    pages: [
      {
        address: "/dashboard/publishing",
        load: async () => (await import("./marketplace/publishing/publishing.tsx")).PublishingPage
      },
      {
        address: "/dashboard/publishing/new",
        load: async () => (await import("./marketplace/publishing/api-form.tsx")).NewApiPage
      },
      {
        address: "/dashboard/publishing/:id",
        load: async () => (await import("./marketplace/publishing/own-api-page.tsx")).OwnApiPage
      },
      {
        address: "/dashboard/publishing/:id/edit",
        load: async () => (await import("./marketplace/publishing/api-form.tsx")).EditApiPage
      },
      {
        address: "/dashboard/publishing/:id/usage",
        load: async () => (await import("./marketplace/publishing/api-usage.tsx")).ApiUsagePage
      },
      {
        address: "/dashboard/publishing/:id/versions/new",
        load: async () => (await import("./marketplace/publishing/version-new.tsx")).NewVersionPage
      },
      {
        address: "/dashboard/publishing/:id/plans/new",
        load: async () => (await import("./marketplace/publishing/plan-new.tsx")).NewPlanPage
      }
    ]
  },
  {
    group: "Developers",
    label: "API keys",
    icon: "keys",
    pages: [
      { address: "/dashboard/keys", load: async () => (await import("./keys/keys.tsx")).KeysPage },
      { address: "/dashboard/keys/new", load: async () => (await import("./keys/key-new.tsx")).NewKeyPage }
    ]
  },
  {
    group: "Developers",
    label: "Events",
    icon: "events",
    pages: [
      { address: "/dashboard/events", load: async () => (await import("./events/events.tsx")).EventsPage },
      { address: "/dashboard/events/:id", load: async () => (await import("./events/event.tsx")).EventPage }
    ]
  },
  {
    group: "Developers",
    label: "Webhooks",
    icon: "webhooks",
    pages: [
      {
        address: "/dashboard/webhooks",
        load: async () => (await import("./webhooks/endpoints.tsx")).EndpointsPage
      },
      {
        address: "/dashboard/webhooks/new",
        load: async () => (await import("./webhooks/endpoint-form.tsx")).NewEndpointPage
      },
      {
        address: "/dashboard/webhooks/deliveries/:id",
        load: async () => (await import("./webhooks/delivery.tsx")).DeliveryPage
      },
      {
        address: "/dashboard/webhooks/:id",
        load: async () => (await import("./webhooks/endpoint.tsx")).EndpointPage
      },
      {
        address: "/dashboard/webhooks/:id/edit",
        load: async () => (await import("./webhooks/endpoint-form.tsx")).EditEndpointPage
      },
      {
        address: "/dashboard/webhooks/:id/rotate",
        load: async () => (await import("./webhooks/secret.tsx")).RotateSecretPage
      }
    ]
  },
  {
    group: "Company",
    label: "Members",
    icon: "members",
    pages: [
      {
        address: "/dashboard/members",
        load: async () => (await import("./accounts/members.tsx")).MembersPage
      }
    ]
  },
  {
    group: "Company",
    label: "Audit trail",
    icon: "audit",
    onlyOwners: true,
    pages: [{ address: "/dashboard/audit", load: async () => (await import("./audit/audit.tsx")).AuditPage }]
  },
  {
    group: "Company",
    label: "Your account",
    icon: "account",
    forReviewers: true,
    pages: [
      {
        address: "/dashboard/account",
        load: async () => (await import("./accounts/own-account.tsx")).AccountPage
      }
    ]
  }
]
