import type { NavigationEntry } from "../common/page.ts"

export const keys: NavigationEntry = {
  group: "Developers",
  label: "API keys",
  icon: "keys",
  pages: [
    { address: "/dashboard/keys", load: async () => (await import("./keys.tsx")).KeysPage },
    { address: "/dashboard/keys/new", load: async () => (await import("./key-new.tsx")).NewKeyPage }
  ]
}
