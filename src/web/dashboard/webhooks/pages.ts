import type { NavigationEntry } from "../common/page.ts"

export const webhooks: NavigationEntry = {
  group: "Developers",
  label: "Webhooks",
  icon: "webhooks",
  pages: [
    { address: "/dashboard/webhooks", load: async () => (await import("./endpoints.tsx")).EndpointsPage },
    {
      address: "/dashboard/webhooks/new",
      load: async () => (await import("./endpoint-form.tsx")).NewEndpointPage
    },
    {
      address: "/dashboard/webhooks/deliveries/:id",
      load: async () => (await import("./delivery.tsx")).DeliveryPage
    },
    { address: "/dashboard/webhooks/:id", load: async () => (await import("./endpoint.tsx")).EndpointPage },
    {
      address: "/dashboard/webhooks/:id/edit",
      load: async () => (await import("./endpoint-form.tsx")).EditEndpointPage
    },
    {
      address: "/dashboard/webhooks/:id/rotate",
      load: async () => (await import("./secret.tsx")).RotateSecretPage
    }
  ]
}
