import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { freshDatabase } from "../database.ts"

/** One database for a group of tests. Each test has its own subscriptions. */
export class MeteredDatabase extends Context.Tag("MeteredDatabase")<MeteredDatabase, Redacted.Redacted>() {
  static readonly layer = Layer.scoped(MeteredDatabase, Effect.orDie(freshDatabase))
}
