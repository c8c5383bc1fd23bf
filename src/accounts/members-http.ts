import { Effect, Layer, Redacted } from "effect"
import { Config } from "../config.ts"
import { group } from "../http/runtime/handlers.ts"
import { ok } from "../model.ts"
import { actingUser, origin } from "./credential.ts"
import { CurrentUser } from "./guards.ts"
import { AcceptanceApi, InvitationsApi, MembersApi } from "./members-api.ts"
import { Members } from "./members-service.ts"
import { beginsSession, deviceCookieName } from "./session-cookie.ts"

const membersGroup = group(MembersApi, (handlers) =>
  Effect.map(Members, (members) =>
    handlers
      .handle("list", () =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => members.list(company.id)),
          (listed) => ({ members: listed })
        )
      )
      .handle("changeRole", ({ path, payload }) =>
        Effect.map(
          Effect.flatMap(actingUser, (by) => members.changeRole(by, path.id, payload.role)),
          (member) => ({ member })
        )
      )
      .handle("remove", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => members.remove(by, path.id)),
          ok
        )
      )
  )
)

const invitationsGroup = group(InvitationsApi, (handlers) =>
  Effect.map(Members, (members) =>
    handlers
      .handle("list", () =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ company }) => members.invitations(company.id)),
          (invitations) => ({ invitations })
        )
      )
      .handle("invite", ({ payload }) => Effect.flatMap(actingUser, (by) => members.invite(by, payload)))
      .handle("withdraw", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => members.withdraw(by, path.id)),
          ok
        )
      )
  )
)

const acceptanceGroup = group(AcceptanceApi, (handlers) =>
  Effect.gen(function* () {
    const members = yield* Members
    const secure = (yield* Config).baseUrl.startsWith("https:")
    return handlers
      .handle("open", ({ payload }) =>
        Effect.map(
          Effect.flatMap(origin, (from) => members.open(from, payload.token)),
          (invitation) => ({ invitation })
        )
      )
      .handle("accept", ({ payload, request }) =>
        Effect.map(
          Effect.flatMap(origin, (from) =>
            members.accept(from, {
              ...payload,
              password: Redacted.make(payload.password),
              device: request.cookies[deviceCookieName]
            })
          ),
          (done) => beginsSession(done, 201, secure)
        )
      )
  })
)

/** The routes of `MembersApi`, `InvitationsApi` and `AcceptanceApi`. */
export const layer = Layer.mergeAll(membersGroup, invitationsGroup, acceptanceGroup)
