import type { NavigationEntry } from "../common/page.ts"
import { NewKeyPage } from "./key-new.tsx"
import { KeysPage } from "./keys.tsx"

export const keys: NavigationEntry = {
  group: "",
  label: "API keys",
  pages: [
    { address: "/dashboard/keys", page: KeysPage },
    { address: "/dashboard/keys/new", page: NewKeyPage }
  ]
}
