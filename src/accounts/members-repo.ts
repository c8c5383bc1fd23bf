import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failsOn, onlyRow, orDie, row, rows } from "../db/sql.ts"
import { foundOr } from "../found.ts"
import {
  EmailTaken,
  InvitationNotFound,
  MemberNotFound,
  OwnerNeeded,
  RoleForbidden,
  TooManyMembers
} from "./errors.ts"
import { type Account, Invitation, Member, type NewSession, OpenInvitation, Role } from "./model.ts"
import { sessionInsert } from "./repo.ts"

const orNotFound = foundOr(() => new MemberNotFound())

/** Days for which an invitation's link is good. */
export const invitationDays = 7

const AcceptedRow = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role,
  company_id: Schema.String,
  company_name: Schema.String,
  /** Whether the address has an account, of this company or another. */
  taken: Schema.Boolean
})

interface Accepted {
  readonly account: Account
  /** As it was made. */
  readonly invitation: { readonly id: string; readonly email: string }
}

interface NewInvitation {
  readonly id: string
  readonly companyId: string
  readonly email: string
  readonly role: Role
  readonly tokenHash: Uint8Array
  readonly invitedBy: string
}

/** Whom a change is about, as it was before. */
const Subject = Schema.Struct({ email: Schema.String, role: Role })

/** An invitation that its maker's removal or demotion has withdrawn. */
const Withdrawn = Schema.Struct({ id: Schema.String, ...Subject.fields })
export type Withdrawn = typeof Withdrawn.Type

/** A company's users and those it has invited, in Postgres. */
export class MembersRepo extends Effect.Service<MembersRepo>()("MembersRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeMembers = rows(Schema.typeSchema(Member))
    const decodeMember = row(Schema.typeSchema(Member))
    const decodeInvitations = rows(Schema.typeSchema(Invitation))
    const decodeCount = onlyRow(Schema.Struct({ total: Schema.Number }))
    const decodeInvitation = row(Schema.typeSchema(Invitation))
    const decodeOpen = row(Schema.typeSchema(OpenInvitation))
    const decodeAccepted = row(AcceptedRow)
    const insertSession = sessionInsert(sql)
    const decodeSubject = row(Subject)
    const decodeIds = rows(Schema.Struct({ id: Schema.String }))
    const decodeWithdrawn = rows(Withdrawn)

    /**
     * Of an invitation `i`: its maker `m` may still make it, which is an owner's right. Of makers who have been removed there is none
     * (the column is null then), so that this needs no row of theirs.
     */
    const byOneWhoMay = sql.literal(
      "m.id = i.invited_by and m.company_id = i.company_id and m.role = 'owner'"
    )
    const invitationColumns = sql.literal(
      "i.id, i.email, i.role, i.created_at, i.expires_at, jsonb_build_object('id', m.id, 'email', m.email) as invited_by"
    )

    const memberColumns = sql.literal(`
      u.id, u.email, u.role, u.created_at,
      (select max(last_seen_at) from dashboard_sessions s where s.user_id = u.id) as last_seen_at`)

    const find = (companyId: string, id: string) =>
      decodeMember(
        sql`select ${memberColumns} from users u where u.company_id = ${companyId} and u.id = ${id}`
      )

    /**
     * In a transaction: makes a change of the company's users alone, and fails when it leaves the company without an
     * owner. Two owners who remove each other must not both succeed.
     */
    const keepingAnOwner = <A, E>(companyId: string, change: Effect.Effect<A, E>) =>
      orDie(sql`select from companies where id = ${companyId} for update`).pipe(
        Effect.zipRight(change),
        Effect.tap(() =>
          Effect.filterOrFail(
            decodeIds(sql`select id from users where company_id = ${companyId} and role = 'owner' limit 1`),
            (owners) => owners.length > 0,
            () => new OwnerNeeded()
          )
        )
      )

    /**
     * In a transaction: until it ends nobody's role in the company changes and nobody is removed, so that what is then asked of a
     * role holds when it commits. Others who only ask that are not waited for.
     */
    const holdingRoles = (companyId: string) =>
      orDie(sql`select from companies where id = ${companyId} for key share`)

    /** In a transaction in which the user has lost the right to make them, or is about to be removed. */
    const withdrawAllOf = (companyId: string, userId: string) =>
      decodeWithdrawn(sql`
        delete from invitations where company_id = ${companyId} and invited_by = ${userId}
        returning id, email, role`)

    return {
      /** In the order in which they joined. */
      list: (companyId: string) =>
        decodeMembers(sql`
          select ${memberColumns} from users u where u.company_id = ${companyId} order by u.created_at, u.id`),

      /**
       * In a transaction. What they are now, what they were before, and the invitations of theirs that this has withdrawn: all, when
       * they are no owner any more. Fails with `MemberNotFound` or `OwnerNeeded`.
       */
      changeRole: (companyId: string, id: string, role: Role) =>
        keepingAnOwner(
          companyId,
          Effect.gen(function* () {
            const before = yield* orNotFound(
              decodeSubject(sql`
                select email, role from users where company_id = ${companyId} and id = ${id} for no key update`)
            )
            yield* orDie(sql`update users set role = ${role} where id = ${id}`)
            const withdrawn = role === "owner" ? [] : yield* withdrawAllOf(companyId, id)
            return { before, member: yield* orNotFound(find(companyId, id)), withdrawn }
          })
        ),

      /**
       * In a transaction: removes the user, ends their sessions, withdraws the invitations they made, and answers who it was and
       * which these were. Fails with `MemberNotFound` or `OwnerNeeded`.
       */
      remove: (companyId: string, id: string) =>
        keepingAnOwner(
          companyId,
          Effect.gen(function* () {
            const withdrawn = yield* withdrawAllOf(companyId, id)
            const removed = yield* orNotFound(
              decodeSubject(
                sql`delete from users where company_id = ${companyId} and id = ${id} returning email, role`
              )
            )
            return { removed, withdrawn }
          })
        ),

      /**
       * Those that have not been accepted, newest first; expired ones too, so that they can be sent anew. One whose maker may not
       * make it any more is none.
       */
      invitations: (companyId: string) =>
        decodeInvitations(sql`
          select ${invitationColumns} from invitations i join users m on ${byOneWhoMay}
          where i.company_id = ${companyId} order by i.created_at desc, i.id desc`),

      /**
       * In a transaction: an invitation in place of an earlier one of this address, whose link is dead then. Fails with
       * `RoleForbidden` when its maker has just lost the right to make it, and with `EmailTaken` when the company has a user of this
       * address, with `TooManyMembers` when it has as many users and invitations as it may have. Of the users of others nothing is told, and none of them keeps anybody from being invited.
       */
      invite: (
        invitation: NewInvitation,
        most: number
      ): Effect.Effect<Invitation, EmailTaken | RoleForbidden | TooManyMembers> =>
        holdingRoles(invitation.companyId).pipe(
          Effect.zipRight(
            decodeIds(sql`
              select id from users where company_id = ${invitation.companyId} and email = ${invitation.email}`)
          ),
          Effect.filterOrFail(
            (users) => users.length === 0,
            () => new EmailTaken()
          ),
          // Several at once may each find room for the last.
          Effect.zipRight(
            decodeCount(sql`
              select (select count(*) from users where company_id = ${invitation.companyId})::int
                + (select count(*) from invitations
                    where company_id = ${invitation.companyId} and email <> ${invitation.email})::int as total`)
          ),
          Effect.filterOrFail(
            ({ total }) => total < most,
            () => new TooManyMembers({ most })
          ),
          Effect.zipRight(
            decodeInvitation(sql`
              with m as (
                select id, email from users
                where id = ${invitation.invitedBy} and company_id = ${invitation.companyId} and role = 'owner'
              ), i as (
                insert into invitations (id, company_id, email, role, token_hash, invited_by, expires_at)
                select ${invitation.id}, ${invitation.companyId}, ${invitation.email}, ${invitation.role},
                  ${invitation.tokenHash}, m.id, now() + make_interval(days => ${invitationDays})
                from m
                on conflict (company_id, email) do update
                set id = excluded.id, role = excluded.role, token_hash = excluded.token_hash,
                  invited_by = excluded.invited_by, created_at = now(), expires_at = excluded.expires_at
                returning id, email, role, created_at, expires_at
              )
              select ${invitationColumns} from i cross join m`)
          ),
          foundOr(() => new RoleForbidden())
        ),

      /** Whom it had invited; none when the company has no such invitation. */
      withdraw: (companyId: string, id: string) =>
        decodeSubject(
          sql`delete from invitations where company_id = ${companyId} and id = ${id} returning email, role`
        ),

      findOpen: (tokenHash: Uint8Array) =>
        decodeOpen(sql`
          select i.email, i.role, c.name as company_name, i.expires_at
          from invitations i join companies c on c.id = i.company_id join users m on ${byOneWhoMay}
          where i.token_hash = ${tokenHash} and i.expires_at > now()`),

      /**
       * In a transaction: uses the invitation up, of which it answers id and address, and makes the user and their first session. The
       * maker has to have the right to make it at this moment: a removal or demotion that is under way is waited for, and one that
       * comes later waits. The user's address is the invited one; where that has an account elsewhere it is `otherEmail`, and
       * `EmailTaken` is the failure without one. Nothing is done to that account: whose it is was never proved, nor whose the link is.
       */
      accept: (
        tokenHash: Uint8Array,
        user: { readonly id: string; readonly passwordHash: string; readonly otherEmail: string | undefined },
        session: NewSession
      ): Effect.Effect<Accepted, InvitationNotFound | EmailTaken> =>
        decodeIds(sql`
          select c.id from invitations i join companies c on c.id = i.company_id
          where i.token_hash = ${tokenHash} for key share of c`).pipe(
          Effect.zipRight(
            decodeAccepted(sql`
              with accepted as (
                delete from invitations i using users m
                where i.token_hash = ${tokenHash} and i.expires_at > now() and ${byOneWhoMay}
                returning i.id, i.company_id, i.email, i.role
              )
              select a.id, a.email, a.role, a.company_id, c.name as company_name,
                exists (select from users u where u.email = a.email) as taken
              from accepted a join companies c on c.id = a.company_id`)
          ),
          foundOr(() => new InvitationNotFound()),
          Effect.map(({ company_id, company_name, email, id, role, taken }) => ({
            account: {
              user: { id: user.id, email: taken ? (user.otherEmail ?? email) : email, role },
              company: { id: company_id, name: company_name }
            },
            invitation: { id, email }
          })),
          Effect.tap(({ account: { company, user: joined } }) =>
            sql`
              insert into users (id, company_id, email, password_hash, role)
              values (${joined.id}, ${company.id}, ${joined.email}, ${user.passwordHash}, ${joined.role})`.pipe(
              failsOn("users_email_key", () => new EmailTaken())
            )
          ),
          Effect.tap(() => insertSession(session, user.id)),
          orDie
        ),

      deleteExpiredInvitations: Effect.asVoid(
        orDie(sql`delete from invitations where expires_at < now() - interval '30 days'`)
      )
    }
  })
}) {}
