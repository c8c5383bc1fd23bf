import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Actor } from "../../audit/model.ts"
import type { JsonObject } from "../../model.ts"
import { newId, parseId } from "../../secrets/identifier.ts"
import { randomBase62 } from "../../secrets/token.ts"
import { InstanceNotFound } from "./errors.ts"
import type { Instance } from "./model.ts"
import { type InstanceChanges, InstanceRepo } from "./repo.ts"

export interface InstanceRequest {
  readonly name: string
  readonly config?: JsonObject | undefined
  readonly workflow?: JsonObject | undefined
}

/** KYC instances of a company. Editing one never changes a session that exists (decisions, section 4). */
export class Instances extends Effect.Service<Instances>()("Instances", {
  effect: Effect.gen(function* () {
    const repo = yield* InstanceRepo

    /** Newest first, disabled ones too. */
    const list = (companyId: string): Effect.Effect<ReadonlyArray<Instance>> => repo.list(companyId)

    const orNotFound = Effect.flatMap((found: Option.Option<Instance>) =>
      Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new InstanceNotFound())
    )

    /** Fails with `InstanceNotFound` for an instance of another company, too. */
    const get = (companyId: string, id: string): Effect.Effect<Instance, InstanceNotFound> => {
      const known = parseId(id)
      return known === undefined
        ? Effect.fail(new InstanceNotFound())
        : orNotFound(repo.find(companyId, known))
    }

    const create = Effect.fnUntraced(function* (by: Actor, request: InstanceRequest) {
      const id = newId()
      yield* repo.insert({
        id,
        versionId: newId(),
        companyId: by.companyId,
        name: request.name,
        publicKey: `kyc_pk_${randomBase62(24)}`,
        config: request.config ?? {},
        workflow: request.workflow ?? {}
      })
      return yield* Effect.orDie(get(by.companyId, id))
    })

    /** Fails with `InstanceNotFound` for an instance of another company, too. */
    const update = (
      by: Actor,
      id: string,
      changes: InstanceChanges
    ): Effect.Effect<Instance, InstanceNotFound> => {
      const known = parseId(id)
      return known === undefined
        ? Effect.fail(new InstanceNotFound())
        : orNotFound(repo.update(by.companyId, known, changes, newId()))
    }

    return { list, get, create, update }
  })
}) {}
