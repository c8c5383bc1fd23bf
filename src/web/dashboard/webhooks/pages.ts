import type { NavigationEntry } from "../common/page.ts"
import { DeliveryPage } from "./delivery.tsx"
import { EndpointPage } from "./endpoint.tsx"
import { EditEndpointPage, NewEndpointPage } from "./endpoint-form.tsx"
import { EndpointsPage } from "./endpoints.tsx"
import { RotateSecretPage } from "./secret.tsx"

export const webhooks: NavigationEntry = {
  group: "Company",
  label: "Webhooks",
  pages: [
    { address: "/dashboard/webhooks", page: EndpointsPage },
    { address: "/dashboard/webhooks/new", page: NewEndpointPage },
    { address: "/dashboard/webhooks/deliveries/:id", page: DeliveryPage },
    { address: "/dashboard/webhooks/:id", page: EndpointPage },
    { address: "/dashboard/webhooks/:id/edit", page: EditEndpointPage },
    { address: "/dashboard/webhooks/:id/rotate", page: RotateSecretPage }
  ]
}
