import { access } from "./list/access.ts"
import { background } from "./list/background.ts"
import { foundations } from "./list/foundations.ts"
import { http } from "./list/http.ts"
import { kyc } from "./list/kyc.ts"
import { marketplace } from "./list/marketplace.ts"
import type { Mutation } from "./model.ts"

/** What a careful maintainer would fear, over all features. */
export const mutations: ReadonlyArray<Mutation> = [
  ...access,
  ...http,
  ...kyc,
  ...marketplace,
  ...background,
  ...foundations
]
