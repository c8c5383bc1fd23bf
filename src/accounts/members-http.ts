import { Effect, Layer, Redacted } from "effect"
import { group } from "../http/runtime/handlers.ts"
import { ok } from "../shared/schemas.ts"
import { asUser, inCompany, origin } from "./credential.ts"
import { AcceptanceApi, InvitationsApi, MembersApi } from "./members-api.ts"
import { Members } from "./members-service.ts"
import { Accounts } from "./service.ts"
import { beginsSession } from "./session-cookie.ts"

const membersGroup = group(MembersApi, (handlers) =>
  Effect.map(Members, (members) =>
    handlers
      .handle("list", () => inCompany(members.list).pipe(Effect.bindTo("members")))
      .handle("changeRole", ({ path, payload }) =>
        asUser((by) => members.changeRole(by, path.id, payload.role)).pipe(Effect.bindTo("member"))
      )
      .handle("remove", ({ path }) => asUser((by) => members.remove(by, path.id)).pipe(Effect.as(ok)))
  )
)

const invitationsGroup = group(InvitationsApi, (handlers) =>
  Effect.map(Members, (members) =>
    handlers
      .handle("list", () => inCompany(members.invitations).pipe(Effect.bindTo("invitations")))
      .handle("invite", ({ payload }) => asUser((by) => members.invite(by, payload)))
      .handle("withdraw", ({ path }) => asUser((by) => members.withdraw(by, path.id)).pipe(Effect.as(ok)))
  )
)

const acceptanceGroup = group(AcceptanceApi, (handlers) =>
  Effect.map(Effect.all({ accounts: Accounts, members: Members }), ({ accounts, members }) =>
    handlers
      .handle("open", ({ payload }) =>
        Effect.flatMap(origin, (from) => members.open(from, payload.token)).pipe(Effect.bindTo("invitation"))
      )
      .handle("accept", ({ payload, request }) =>
        beginsSession(201, accounts, request, (from, device) =>
          members.accept(from, { ...payload, password: Redacted.make(payload.password), device })
        )
      )
  )
)

export const layer = Layer.mergeAll(membersGroup, invitationsGroup, acceptanceGroup)
