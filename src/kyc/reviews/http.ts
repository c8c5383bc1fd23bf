import { Effect } from "effect"
import { asUser } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { forActor, forCaller } from "../../keys/credential.ts"
import { readCursor } from "../../shared/cursor.ts"
import { ReviewsApi } from "./api.ts"
import { Decisions } from "./decision-service.ts"
import { SessionNotes } from "./notes-service.ts"
import { Reviews } from "./service.ts"

export const layer = group(ReviewsApi, (handlers) =>
  Effect.map(Effect.all([Reviews, Decisions, SessionNotes]), ([reviews, decisions, notes]) =>
    handlers
      .handle("list", ({ urlParams: { cursor, ...query } }) =>
        forCaller((companyId) => reviews.list(companyId, { ...query, cursor: readCursor(cursor) }))
      )
      .handle("choices", () => forCaller(reviews.choices))
      .handle("get", ({ path }) => forCaller((companyId) => reviews.get(companyId, path.id)))
      .handle("claim", ({ path }) =>
        asUser((by) => decisions.claim(by, path.id)).pipe(Effect.bindTo("review"))
      )
      .handle("release", ({ path }) =>
        asUser((by) => decisions.release(by, path.id)).pipe(Effect.bindTo("review"))
      )
      .handle("decide", ({ path, payload }) => forActor((by) => decisions.decide(by, path.id, payload)))
      .handle("renewLink", ({ path, payload: { expiresInSeconds } }) =>
        forActor((by) => decisions.renewLink(by, path.id, expiresInSeconds ?? undefined))
      )
      .handle("listNotes", ({ path }) =>
        forCaller((companyId) => notes.list(companyId, path.id)).pipe(Effect.bindTo("notes"))
      )
      .handle("addNote", ({ path, payload }) =>
        asUser((by) => notes.add(by, path.id, payload.text)).pipe(Effect.bindTo("note"))
      )
  )
)
