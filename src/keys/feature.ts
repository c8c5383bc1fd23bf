import { ApiKeysApi } from "./api.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"

export const keys = { contract: [ApiKeysApi], routes: http.layer, services: layer } as const
