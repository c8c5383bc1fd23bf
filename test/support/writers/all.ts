/** Writers that keep changing everything that clients can change. */
import { Effect } from "effect"
import type { Company } from "../credentials.ts"
import { okUpstream } from "../marketplace/callable-api.ts"
import { becomePublisher } from "../marketplace/publisher.ts"
import type { RunningServer } from "../server.ts"
import { keyWriter, memberWriter, signInWriter } from "./accounts.ts"
import { fileWriter, instanceWriter, sessionWriter } from "./kyc.ts"
import { marketplaceWriter } from "./marketplace.ts"

/** All writers for one company, which becomes a publisher. */
export const allWriters = (server: RunningServer, company: Company) =>
  Effect.gen(function* () {
    const upstream = yield* okUpstream
    const { slug } = yield* becomePublisher(server, company.member)
    return [
      sessionWriter(company),
      sessionWriter(company),
      sessionWriter(company),
      keyWriter(company),
      fileWriter(company),
      instanceWriter(company),
      memberWriter(company),
      signInWriter(company),
      marketplaceWriter(company, slug, upstream)
    ]
  })
