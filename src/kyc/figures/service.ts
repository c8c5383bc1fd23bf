import { Effect, Option } from "effect"
import { foundOr, idOr } from "../../shared/found.ts"
import { parseId } from "../../shared/identifier.ts"
import { InstanceNotFound } from "../instances/model.ts"
import { readWorkflow } from "../instances/workflow-model.ts"
import type { Attention, Funnel, SessionFigures } from "./model.ts"
import { FigureRepo } from "./repo.ts"

const noInstance = () => new InstanceNotFound()

const states = ["created", "completed", "failed", "cancelled", "expired"] as const

const totalOf = (days: SessionFigures["days"]): SessionFigures["total"] => {
  const total = { created: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }
  for (const day of days) for (const state of states) total[state] += day[state]
  return total
}

/** How a company's verifications go (contract.md#figures). */
export class Figures extends Effect.Service<Figures>()("Figures", {
  dependencies: [FigureRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* FigureRepo

    /** Of the last `days` days; an unknown instance has no sessions. */
    const sessions = (companyId: string, days: number, instanceId: string | undefined) => {
      // No session is of the nil UUID.
      const id =
        instanceId === undefined ? undefined : (parseId(instanceId) ?? "00000000-0000-0000-0000-000000000000")
      return Effect.zipWith(
        repo.days(companyId, days, id),
        repo.medianSeconds(companyId, days, id),
        (counted, { median }): SessionFigures => {
          const total = totalOf(counted)
          const ended = total.completed + total.failed + total.cancelled + total.expired
          return {
            days: counted,
            total,
            completed_share: ended === 0 ? null : total.completed / ended,
            median_seconds: median
          }
        },
        { concurrent: true }
      )
    }

    const attention = (companyId: string): Effect.Effect<Attention> =>
      Effect.all(
        {
          failing_webhooks: repo.failingWebhooks(companyId),
          expiring_keys: repo.expiringKeys(companyId),
          plans_near_end: repo.plansNearEnd(companyId)
        },
        { concurrency: "unbounded" }
      )

    /** Only the sessions are those of the instance, if one is given. */
    const overview = (companyId: string, days: number, instanceId: string | undefined) =>
      Effect.all(
        {
          sessions: sessions(companyId, days, instanceId),
          reviews: repo.waitingReviews(companyId),
          attention: attention(companyId)
        },
        { concurrency: "unbounded" }
      )

    /** Fails with `InstanceNotFound`, also for another company's instance. */
    const funnel = (
      companyId: string,
      instanceId: string,
      period: { readonly from: Date | undefined; readonly to: Date | undefined }
    ): Effect.Effect<Funnel, InstanceNotFound> =>
      Effect.gen(function* () {
        const id = yield* idOr(instanceId, noInstance)
        const { workflow } = yield* repo.workflow(companyId, id).pipe(foundOr(noInstance))
        const steps = Option.match(readWorkflow(workflow), {
          onNone: () => [],
          onSome: ({ steps = [] }) => steps.filter(({ type }) => type !== "captcha" && type !== "review")
        })
        const found = yield* repo.funnel(
          companyId,
          id,
          period,
          steps.map((step) => step.id)
        )
        const types = new Map(steps.map((step) => [step.id, step.type]))
        return { ...found, steps: found.steps.map((step) => ({ ...step, type: types.get(step.step) ?? "" })) }
      })

    return { overview, funnel }
  })
}) {}
