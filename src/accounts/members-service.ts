import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, type Redacted } from "effect"
import { type ActingUser, type Actor, type AuditEntry, actingAs, type Origin } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { Config } from "../config.ts"
import { transaction } from "../db/sql.ts"
import type { TooManyRequests } from "../limits/errors.ts"
import { guesses } from "../limits/guesses.ts"
import { strangersTurn } from "../limits/password-turns.ts"
import { isWellFormed, newToken, tokenHash } from "../secrets/token.ts"
import { normalEmail } from "../shared/email.ts"
import { foundOr, idOr } from "../shared/found.ts"
import { newId } from "../shared/identifier.ts"
import type { JsonObject } from "../shared/schemas.ts"
import { Devices } from "./devices.ts"
import { InvitationNotFound, MemberNotFound, type OwnerNeeded, type RoleForbidden } from "./errors.ts"
import { InvitationsRepo } from "./invitations-repo.ts"
import { MembersRepo, type Withdrawn } from "./members-repo.ts"
import type { FromBrowser, Invitation, Member, OpenInvitation, Role, SignedIn } from "./model.ts"
import { Passwords } from "./passwords.ts"

interface Acceptance extends FromBrowser {
  readonly token: string
  readonly password: Redacted.Redacted<string>
  /** The address to sign in with, if the invited address already has an account. */
  readonly email?: string | undefined
}

const withdrawn = ({ email, id, role }: Withdrawn, details: JsonObject = {}): AuditEntry => ({
  action: "invitation.withdrawn",
  id,
  name: email,
  details: { role, ...details }
})

const invitationNotFound = () => new InvitationNotFound()

/** The audit events for invitations whose creator loses the right to invite. */
const allWithdrawn = (
  invitations: ReadonlyArray<Withdrawn>,
  maker: { readonly id: string; readonly email: string }
) => invitations.map((invitation) => withdrawn(invitation, { invited_by: maker }))

/** The users of a company, and the invitations through which others join. */
export class Members extends Effect.Service<Members>()("Members", {
  effect: Effect.gen(function* () {
    const { appUrl, quotas } = yield* Config
    const sql = yield* SqlClient.SqlClient
    const repo = yield* MembersRepo
    const invited = yield* InvitationsRepo
    const audit = yield* Audit
    const passwords = yield* Passwords
    const devices = yield* Devices
    const links = yield* guesses("invitation")

    const known = (id: string) => idOr(id, () => new MemberNotFound())

    /**
     * Takes effect with the member's next request. Fails with `OwnerNeeded` for the last owner, and with `RoleForbidden` if the caller is no
     * longer an owner.
     */
    const changeRole = (
      by: ActingUser,
      id: string,
      role: Role
    ): Effect.Effect<Member, MemberNotFound | OwnerNeeded | RoleForbidden> =>
      Effect.flatMap(known(id), (memberId) =>
        repo.changeRole(by, memberId, role).pipe(
          audit.recording(by, ({ before, withdrawn }) =>
            before.role === role
              ? []
              : [
                  {
                    action: "member.role_changed",
                    id: memberId,
                    name: before.email,
                    details: { from: before.role, to: role }
                  },
                  ...allWithdrawn(withdrawn, { id: memberId, email: before.email })
                ]
          ),
          Effect.map(({ member }) => member)
        )
      )

    /** Ends the user's sessions at once. Fails as `changeRole` does. */
    const remove = (
      by: ActingUser,
      id: string
    ): Effect.Effect<void, MemberNotFound | OwnerNeeded | RoleForbidden> =>
      Effect.flatMap(known(id), (memberId) =>
        repo.remove(by, memberId).pipe(
          audit.recording(by, ({ removed: { email, role }, withdrawn }) => [
            { action: "member.removed", id: memberId, name: email, details: { role } },
            ...allWithdrawn(withdrawn, { id: memberId, email })
          ]),
          Effect.asVoid
        )
      )

    /**
     * The link works only while its creator is an owner. The token is in the URL fragment, so no server logs
     * it and no link scanner uses it up. Fails with `EmailTaken` for a user of the company, with
     * `TooManyMembers`, and with `RoleForbidden` if the caller is no longer an owner.
     */
    const invite = Effect.fnUntraced(function* (by: ActingUser, request: Pick<Invitation, "email" | "role">) {
      const token = newToken("dli_")
      const invitation = yield* invited
        .invite(
          {
            id: newId(),
            companyId: by.companyId,
            email: normalEmail(request.email),
            role: request.role,
            tokenHash: tokenHash(token),
            invitedBy: by.id
          },
          quotas.members
        )
        .pipe(
          audit.recording(by, ({ email, id, role }) => [
            { action: "invitation.created", id, name: email, details: { role } }
          ])
        )
      return { invitation, url: `${appUrl}/dashboard/invitation#token=${token}` }
    })

    const withdraw = Effect.fnUntraced(function* (by: Actor, id: string) {
      const invitationId = yield* idOr(id, invitationNotFound)
      yield* invited.withdraw(by.companyId, invitationId).pipe(
        foundOr(invitationNotFound),
        audit.recording(by, (subject) => [withdrawn({ id: invitationId, ...subject })])
      )
    })

    const findOpen = (token: string): Effect.Effect<OpenInvitation, InvitationNotFound> =>
      isWellFormed("dli_", token)
        ? invited.findOpen(tokenHash(token)).pipe(foundOr(invitationNotFound))
        : Effect.fail(invitationNotFound())

    /** What the link invites its holder to. Fails with `TooManyRequests` after too many made-up links. */
    const open = (
      from: Origin,
      token: string
    ): Effect.Effect<OpenInvitation, InvitationNotFound | TooManyRequests> =>
      links.limiting(
        () => from.address ?? "",
        ({ _tag }) => _tag === "InvitationNotFound",
        findOpen(token)
      )

    /**
     * Creates the user and signs them in. Fails as `open` does, and with `EmailTaken` if the invited address
     * has an account and the given address is missing or has one, too.
     */
    const accept = Effect.fnUntraced(function* (from: Origin, acceptance: Acceptance) {
      const { device, email, password, token } = acceptance
      // Checked first: only the holder of a valid link may make the service hash a password.
      yield* open(from, token)
      const sessionToken = newToken("dls_")
      const user = {
        id: newId(),
        passwordHash: yield* passwords.inTurn(strangersTurn(from.address ?? ""), ({ hash }) =>
          hash(password)
        ),
        otherEmail: email === undefined ? undefined : normalEmail(email)
      }
      const session = { tokenHash: tokenHash(sessionToken), userAgent: from.userAgent }
      const accepting = invited.accept(tokenHash(token), user, session).pipe(
        Effect.tap(({ account, invitation: { email, id } }) =>
          audit.append(actingAs(account, from), {
            action: "invitation.accepted",
            id,
            name: email,
            details: {
              user_id: account.user.id,
              role: account.user.role,
              ...(account.user.email === email ? {} : { email: account.user.email })
            }
          })
        ),
        transaction(sql)
      )
      // Otherwise the holder of one link could check any address for an account.
      const { account } = yield* links.limiting(
        () => from.address ?? "",
        ({ _tag }) => _tag === "EmailTaken",
        accepting
      )
      return {
        account,
        token: sessionToken,
        device: yield* devices.remember(device, { user: account.user, passwordHash: user.passwordHash })
      } satisfies SignedIn
    })

    return {
      list: repo.list,
      changeRole,
      remove,
      invitations: invited.list,
      invite,
      withdraw,
      open,
      accept
    }
  })
}) {}
