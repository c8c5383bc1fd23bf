import { Effect } from "effect"
import { OriginRepo } from "./origins-repo.ts"

/** Where the answers of a session come from, for what is shown or signed of them. */
export class AnswerOrigins extends Effect.Service<AnswerOrigins>()("AnswerOrigins", {
  dependencies: [OriginRepo.Default],
  effect: Effect.map(OriginRepo, ({ find }) => ({
    /** Of a session of the company that exists. */
    of: ({ company_id, id }: { readonly company_id: string; readonly id: string }) => find(company_id, id)
  }))
}) {}
