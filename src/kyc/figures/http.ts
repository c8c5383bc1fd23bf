import { Effect } from "effect"
import { inCompany } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { forCaller } from "../../keys/credential.ts"
import { FiguresApi } from "./api.ts"
import { Figures } from "./service.ts"

export const layer = group(FiguresApi, (handlers) =>
  Effect.map(Figures, (figures) =>
    handlers
      .handle("overview", ({ urlParams: { days, instanceId } }) =>
        inCompany((company) => figures.overview(company, days, instanceId))
      )
      .handle("funnel", ({ path, urlParams: { from, to } }) =>
        forCaller((company) => figures.funnel(company, path.id, { from, to })).pipe(Effect.bindTo("funnel"))
      )
  )
)
