import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { type ActingUser, type Actor, type AuditEntry, actingAs, type Origin } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { Config } from "../config.ts"
import { transaction } from "../db/sql.ts"
import { foundOr, idOr } from "../found.ts"
import type { TooManyRequests } from "../limits/errors.ts"
import { guesses } from "../limits/guesses.ts"
import { strangersTurn } from "../limits/password-turns.ts"
import type { JsonObject } from "../model.ts"
import { newId } from "../secrets/identifier.ts"
import { isWellFormed, newToken, tokenHash } from "../secrets/token.ts"
import { normalEmail } from "../shared/email.ts"
import { Devices } from "./devices.ts"
import { InvitationNotFound, MemberNotFound, type OwnerNeeded } from "./errors.ts"
import { InvitationsRepo } from "./invitations-repo.ts"
import { MembersRepo, type Withdrawn } from "./members-repo.ts"
import type { Invitation, Member, OpenInvitation, Role } from "./model.ts"
import { Passwords } from "./passwords.ts"
import type { SignedIn } from "./sign-in-model.ts"

interface InvitationRequest {
  readonly email: string
  readonly role: Role
}

interface Acceptance {
  readonly token: string
  readonly password: Redacted.Redacted<string>
  /** To sign in with, where the invited address has an account already. */
  readonly email?: string | undefined
  /** The browser's cookie as a known device. */
  readonly device: string | undefined
}

const withdrawn = ({ email, id, role }: Withdrawn, details: JsonObject = {}): AuditEntry => ({
  action: "invitation.withdrawn",
  id,
  name: email,
  details: { role, ...details }
})

const invitationNotFound = () => new InvitationNotFound()

/** For who loses the right to invite. */
const allWithdrawn = (
  invitations: ReadonlyArray<Withdrawn>,
  maker: { readonly id: string; readonly email: string }
) => invitations.map((invitation) => withdrawn(invitation, { invited_by: maker }))

/** The users of a company, and how others become its users: by a link that an owner makes and passes on. */
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

    /** In the order in which they joined. */
    const list = (companyId: string): Effect.Effect<ReadonlyArray<Member>> => repo.list(companyId)

    const known = (id: string) => idOr(id, () => new MemberNotFound())

    /**
     * Holds from the member's next request on. Who is no owner any more has no invitations: they are withdrawn. Fails also with `OwnerNeeded`, for the
     * last owner.
     */
    const changeRole = (
      by: Actor,
      id: string,
      role: Role
    ): Effect.Effect<Member, MemberNotFound | OwnerNeeded> =>
      Effect.flatMap(known(id), (memberId) =>
        repo.changeRole(by.companyId, memberId, role).pipe(
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

    /**
     * Removes the user, ends their sessions at once, and withdraws the invitations they made. Fails also with `OwnerNeeded`, for the
     * last owner.
     */
    const remove = (by: Actor, id: string): Effect.Effect<void, MemberNotFound | OwnerNeeded> =>
      Effect.flatMap(known(id), (memberId) =>
        repo.remove(by.companyId, memberId).pipe(
          audit.recording(by, ({ removed: { email, role }, withdrawn }) => [
            { action: "member.removed", id: memberId, name: email, details: { role } },
            ...allWithdrawn(withdrawn, { id: memberId, email })
          ]),
          Effect.asVoid
        )
      )

    /** Those that have not been accepted, newest first. */
    const invitations = (companyId: string): Effect.Effect<ReadonlyArray<Invitation>> =>
      invited.list(companyId)

    /**
     * An invitation and its link, which is in this answer and nowhere else. The token is in the fragment, so
     * that no server's log has it and no scanner that opens the link uses it up. It is good for as long as its maker is an owner. Fails
     * with `EmailTaken` for a user of the company, with `TooManyMembers`, and with `RoleForbidden` for who is no owner any more.
     */
    const invite = Effect.fnUntraced(function* (by: ActingUser, request: InvitationRequest) {
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

    /** Makes the invitation's link dead. */
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

    /** What the link's holder is asked to join. Fails with `TooManyRequests` where links are made up. */
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
     * Makes the user and signs them in. Fails with `InvitationNotFound`, `TooManyRequests` as `open` does, or `EmailTaken` if the
     * invited address has an account already and no other, or another such, is given.
     */
    const accept = Effect.fnUntraced(function* (
      from: Origin,
      { device, email, password, token }: Acceptance
    ) {
      // Looked up first: only who holds a good link may have us hash a password.
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
        Effect.tap(({ account: { company, user }, invitation }) =>
          audit.append(actingAs(user, company.id, from), {
            action: "invitation.accepted",
            id: invitation.id,
            name: invitation.email,
            details: {
              user_id: user.id,
              role: user.role,
              ...(user.email === invitation.email ? {} : { email: user.email })
            }
          })
        ),
        transaction(sql)
      )
      // Who has one link could else ask of any address whether it has an account.
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

    return { list, changeRole, remove, invitations, invite, withdraw, open, accept }
  })
}) {}
