import { Effect, Layer } from "effect"
import { inCompany } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { forCaller, partnerReader } from "../sessions/credential.ts"
import { FiguresApi } from "./api.ts"
import { FigureReader } from "./guards.ts"
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

export const credentials = Layer.effect(
  FigureReader,
  partnerReader("kyc:sessions:read", ({ authenticateTo }) => authenticateTo("read"))
)
