/** The contract: the routes of all features. */
import * as HttpApi from "@effect/platform/HttpApi"
import { allGroups, withGroups } from "./feature.ts"
import { features } from "./features.ts"
import { apiName } from "./http/runtime/handlers.ts"

export const Api = withGroups(HttpApi.make(apiName), allGroups(features))
