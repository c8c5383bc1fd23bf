/** With another `SECRET_KEY`, nothing that is stored about end users could be read, so doorlock does not start. */
import { Effect, Layer } from "effect"
import * as database from "../db/database.ts"
import type { Migrator } from "../db/migrations.ts"
import { SessionKeyRepo } from "../kyc/sessions/keys-repo.ts"
import { SessionKeys } from "../kyc/sessions/keys-service.ts"

/** For a database that is about to be migrated: a new one has no table of keys yet. */
export const mustBeReadable = ({ url }: Pick<Migrator, "url">) =>
  Effect.gen(function* () {
    const { areStored } = yield* SessionKeyRepo
    if (yield* areStored) yield* (yield* SessionKeys).mustBeReadable
  }).pipe(
    Effect.provide(
      Layer.provideMerge(SessionKeys.Default, SessionKeyRepo.Default).pipe(
        Layer.provide(database.layer({ url, maxConnections: 1 }))
      )
    )
  )

/** For a database with this version's schema. */
export const layer = Layer.effectDiscard(Effect.flatMap(SessionKeys, ({ mustBeReadable }) => mustBeReadable))
