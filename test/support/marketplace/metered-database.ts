import { Context, Effect, Layer, type Redacted } from "effect"
import { freshDatabase } from "../database.ts"

/** One database for a group of tests. Each test has its own subscriptions. */
export class MeteredDatabase extends Context.Tag("MeteredDatabase")<MeteredDatabase, Redacted.Redacted>() {
  static readonly layer = Layer.scoped(MeteredDatabase, Effect.orDie(freshDatabase))
}
