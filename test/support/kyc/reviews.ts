/** Helpers for reviews: a company whose sessions are reviewed, and the routes of reviews by name. */
import { Effect } from "effect"
import { createInstance, join, type Member, send, text } from "../client.ts"
import type { RunningServer } from "../server.ts"
import { type Company, companyOf, companyOn } from "./partner.ts"

/** The workflow of the helpers' sessions. */
const workflow = {
  v: 1,
  steps: [
    { id: "person", type: "form", fields: [{ id: "name", type: "text", required: true }] },
    { id: "document", type: "document" },
    { id: "review", type: "review" }
  ],
  rules: [
    {
      after: "document",
      if: { path: "document.country", op: "eq", value: "XXX" },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
      then: { fail: "COUNTRY" }
    },
    {
      after: "document",
      if: { path: "document.type", op: "eq", value: "passport" },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
      then: { skip: ["person"] }
    }
  ]
}

const reviewed = (review: object) => ({ config: { v: 1, review: { mode: "manual", ...review } }, workflow })

/** A new company whose sessions are reviewed; `review` is added to the config. */
export const reviewingCompany = (server: RunningServer, review: object = {}) =>
  companyOn(server, reviewed(review))

/** The same of a company that exists. */
export const reviewingCompanyOf = (
  server: RunningServer,
  member: Member,
  key: { readonly id: string; readonly token: string },
  review: object = {}
) =>
  Effect.map(createInstance(server, member, reviewed(review)), (instance) =>
    companyOf(server, member, key, instance)
  )

/** A completed session, with answers to all steps. */
export const waitingSession = (company: Company, fields: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const session = yield* company.newSession(fields)
    yield* company.progress(session, {
      status: "running",
      progress: {
        s_person: { name: "Ada" },
        s_document: { type: "id_card" },
        // Unfinished input, which no later session gets.
        d_person: { name: "Ad" },
        current: "review",
        rev: 3
      }
    })
    yield* company.complete(session)
    return session
  })

/** The session that a `verificationUrl` opens. */
export const opened = (answer: { readonly body: unknown }) => {
  const url = new URL(text(answer.body, "verificationUrl"))
  const id = url.pathname.split("/").at(-1) ?? ""
  return { id, token: url.searchParams.get("token") ?? "", path: `/api/kyc/public/sessions/${id}` }
}

/** Another user of the company, who reviews its sessions. */
export const reviewerOf = ({ member, server }: Company) =>
  Effect.map(join(server, member, "reviewer"), (user) => ({ user, ...reviewsAs(server, user) }))
export type Reviewer = Effect.Effect.Success<ReturnType<typeof reviewerOf>>

/** The routes of reviews as this user. */
export const reviewsAs = (server: RunningServer, { cookie }: Member) => {
  const ask = (method: string, path: string, json?: unknown) =>
    send(server, method, path, { headers: { cookie }, ...(json === undefined ? {} : { json }) })
  const at = (id: string) => `/api/kyc/sessions/${id}/review`
  return {
    ask,
    list: (query: Record<string, string> = {}) =>
      ask("GET", `/api/kyc/reviews?${new URLSearchParams(query)}`),
    read: ({ id }: { readonly id: string }) => ask("GET", at(id)),
    claim: ({ id }: { readonly id: string }) => ask("POST", `${at(id)}/claim`),
    release: ({ id }: { readonly id: string }) => ask("POST", `${at(id)}/release`),
    link: ({ id }: { readonly id: string }) => ask("POST", `${at(id)}/link`),
    decide: ({ id }: { readonly id: string }, json: unknown) => ask("POST", at(id), json)
  }
}
