import type { NavigationEntry } from "../../common/page.ts"
import { InstancePage } from "./instance.tsx"
import { InstanceEditPage } from "./instance-edit.tsx"
import { InstancesPage, NewInstancePage } from "./instances.tsx"

export const instances: NavigationEntry = {
  group: "Verification",
  label: "Instances",
  pages: [
    { address: "/dashboard/instances", page: InstancesPage },
    { address: "/dashboard/instances/new", page: NewInstancePage },
    { address: "/dashboard/instances/:id", page: InstancePage },
    { address: "/dashboard/instances/:id/edit", page: InstanceEditPage }
  ]
}
