import { Effect, Option } from "effect"
import type { Actor, AuditEntry } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { randomBase62 } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId } from "../../shared/identifier.ts"
import { type Instance, InstanceNotFound } from "./model.ts"
import { type InstanceChange, type InstanceChanges, InstanceRepo } from "./repo.ts"

interface InstanceRequest extends Omit<InstanceChanges, "disabled"> {
  readonly name: string
}

const notFound = () => new InstanceNotFound()

const entriesOf = ({ before, instance, version }: InstanceChange): ReadonlyArray<AuditEntry> => {
  const { disabled_at, id, name } = instance
  const details = {
    ...(name === before.name ? {} : { name: { from: before.name, to: name } }),
    ...(Option.isNone(version)
      ? {}
      : {
          version_id: { from: before.version_id, to: version.value.id },
          config_changed: version.value.config_changed,
          workflow_changed: version.value.workflow_changed
        })
  }
  const entries: Array<AuditEntry> = []
  if (Object.keys(details).length > 0) entries.push({ action: "kyc_instance.changed", id, name, details })
  if (disabled_at !== null && !before.disabled) entries.push({ action: "kyc_instance.disabled", id, name })
  if (disabled_at === null && before.disabled) entries.push({ action: "kyc_instance.enabled", id, name })
  return entries
}

/** A company's KYC instances. Editing an instance never changes existing sessions (contract.md#session-object). */
export class Instances extends Effect.Service<Instances>()("Instances", {
  dependencies: [InstanceRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* InstanceRepo
    const audit = yield* Audit
    const { quotas } = yield* Config

    /** Fails with `InstanceNotFound`, also for an instance of another company. */
    const get = (companyId: string, id: string): Effect.Effect<Instance, InstanceNotFound> =>
      idOr(id, notFound).pipe(
        Effect.flatMap((known) => repo.find(companyId, known)),
        foundOr(notFound)
      )

    /** Fails with `TooManyInstances`. */
    const create = Effect.fnUntraced(function* (
      by: Actor,
      { config = {}, name, workflow = {} }: InstanceRequest
    ) {
      const { companyId } = by
      const id = newId()
      const versionId = newId()
      const public_key = `kyc_pk_${randomBase62(24)}`
      const details = { public_key, version_id: versionId }
      yield* repo
        .insert({ id, versionId, companyId, name, public_key, config, workflow }, quotas.instances)
        .pipe(audit.recording(by, () => [{ action: "kyc_instance.created", id, name, details }]))
      return yield* Effect.orDie(get(companyId, id))
    })

    /** Fails with `InstanceNotFound`, also for an instance of another company. */
    const update = (
      by: Actor,
      id: string,
      changes: InstanceChanges
    ): Effect.Effect<Instance, InstanceNotFound> =>
      Effect.flatMap(idOr(id, notFound), (known) =>
        repo.update(by.companyId, known, changes, newId()).pipe(
          foundOr(notFound),
          audit.recording(by, entriesOf),
          Effect.map(({ instance }) => instance)
        )
      )

    return { list: repo.list, get, create, update }
  })
}) {}
