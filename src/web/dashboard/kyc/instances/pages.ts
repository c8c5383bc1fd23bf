import type { NavigationEntry } from "../../common/page.ts"

export const instances: NavigationEntry = {
  group: "Verification",
  label: "Instances",
  icon: "instances",
  pages: [
    { address: "/dashboard/instances", load: async () => (await import("./instances.tsx")).InstancesPage },
    {
      address: "/dashboard/instances/new",
      load: async () => (await import("./instances.tsx")).NewInstancePage
    },
    { address: "/dashboard/instances/:id", load: async () => (await import("./instance.tsx")).InstancePage },
    {
      address: "/dashboard/instances/:id/edit",
      load: async () => (await import("./instance-edit.tsx")).InstanceEditPage
    }
  ]
}
