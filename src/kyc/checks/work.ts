import { Effect, Option, Schema } from "effect"
import { workKind } from "../../work/model.ts"
import { checkWork } from "./model.ts"
import { Checks } from "./service.ts"

/** Looks at the photos of a session that was completed. */
export const checking = workKind({
  name: checkWork,
  payload: Schema.Struct({ id: Schema.UUID, company_id: Schema.UUID }),
  perLane: 1,
  run: ({ payload: { company_id, id } }) =>
    Effect.map(
      Effect.flatMap(Checks, ({ make }) => make(company_id, id)),
      (result) => ({ outcome: { kind: "done" } as const, result })
    ),
  settle: (settled) => {
    const made = settled.flatMap(({ result }) =>
      result !== undefined && Option.isSome(result) ? [result.value] : []
    )
    return made.length === 0 ? Effect.void : Effect.flatMap(Checks, ({ store }) => Effect.asVoid(store(made)))
  }
})
