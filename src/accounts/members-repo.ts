import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failsOn, onlyRow, orDie, row, rows } from "../db/sql.ts"
import { EmailTaken, InvitationNotFound, MemberNotFound, OwnerNeeded } from "./errors.ts"
import { type Account, Invitation, Member, type NewSession, OpenInvitation, Role } from "./model.ts"
import { sessionInsert } from "./repo.ts"

/** Days for which an invitation's link is good. */
export const invitationDays = 7

const AcceptedRow = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role,
  company_id: Schema.String,
  company_name: Schema.String
})

interface NewInvitation {
  readonly id: string
  readonly companyId: string
  readonly email: string
  readonly role: Role
  readonly tokenHash: Uint8Array
  readonly invitedBy: string | null
}

/** Whom a change is about, as it was before. */
const Subject = Schema.Struct({ email: Schema.String, role: Role })

/** A company's users and those it has invited, in Postgres. */
export class MembersRepo extends Effect.Service<MembersRepo>()("MembersRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeMembers = rows(Schema.typeSchema(Member))
    const decodeMember = row(Schema.typeSchema(Member))
    const decodeInvitations = rows(Schema.typeSchema(Invitation))
    const decodeInvitation = onlyRow(Schema.typeSchema(Invitation))
    const decodeOpen = row(Schema.typeSchema(OpenInvitation))
    const decodeAccepted = row(AcceptedRow)
    const insertSession = sessionInsert(sql)
    const decodeSubject = row(Subject)
    const decodeIds = rows(Schema.Struct({ id: Schema.String }))

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

    const orNotFound = <A, E>(found: Effect.Effect<Option.Option<A>, E>) =>
      Effect.flatMap(found, (one) =>
        Option.isSome(one) ? Effect.succeed(one.value) : Effect.fail(new MemberNotFound())
      )

    return {
      /** In the order in which they joined. */
      list: (companyId: string) =>
        decodeMembers(sql`
          select ${memberColumns} from users u where u.company_id = ${companyId} order by u.created_at, u.id`),

      /** In a transaction. What they are now, and were before. Fails with `MemberNotFound` or `OwnerNeeded`. */
      changeRole: (companyId: string, id: string, role: Role) =>
        keepingAnOwner(
          companyId,
          Effect.gen(function* () {
            const before = yield* orNotFound(
              decodeSubject(sql`
                select email, role from users where company_id = ${companyId} and id = ${id} for no key update`)
            )
            yield* orDie(sql`update users set role = ${role} where id = ${id}`)
            return { before, member: yield* orNotFound(find(companyId, id)) }
          })
        ),

      /**
       * In a transaction: removes the user, ends their sessions, and answers who it was. Fails with `MemberNotFound` or
       * `OwnerNeeded`.
       */
      remove: (companyId: string, id: string) =>
        keepingAnOwner(
          companyId,
          orNotFound(
            decodeSubject(
              sql`delete from users where company_id = ${companyId} and id = ${id} returning email, role`
            )
          )
        ),

      /** Those that have not been accepted, newest first; expired ones too, so that they can be sent anew. */
      invitations: (companyId: string) =>
        decodeInvitations(sql`
          select id, email, role, created_at, expires_at from invitations
          where company_id = ${companyId} order by created_at desc, id desc`),

      /** In place of an earlier invitation of this address, whose link is dead then. */
      invite: (invitation: NewInvitation): Effect.Effect<Invitation, EmailTaken> =>
        decodeIds(sql`select id from users where email = ${invitation.email}`).pipe(
          Effect.filterOrFail(
            (users) => users.length === 0,
            () => new EmailTaken()
          ),
          Effect.zipRight(
            decodeInvitation(sql`
              insert into invitations (id, company_id, email, role, token_hash, invited_by, expires_at)
              values (${invitation.id}, ${invitation.companyId}, ${invitation.email}, ${invitation.role},
                ${invitation.tokenHash}, ${invitation.invitedBy}, now() + make_interval(days => ${invitationDays}))
              on conflict (company_id, email) do update
              set id = excluded.id, role = excluded.role, token_hash = excluded.token_hash,
                invited_by = excluded.invited_by, created_at = now(), expires_at = excluded.expires_at
              returning id, email, role, created_at, expires_at`)
          )
        ),

      /** Whom it had invited; none when the company has no such invitation. */
      withdraw: (companyId: string, id: string) =>
        decodeSubject(
          sql`delete from invitations where company_id = ${companyId} and id = ${id} returning email, role`
        ),

      findOpen: (tokenHash: Uint8Array) =>
        decodeOpen(sql`
          select i.email, i.role, c.name as company_name, i.expires_at
          from invitations i join companies c on c.id = i.company_id
          where i.token_hash = ${tokenHash} and i.expires_at > now()`),

      /** In a transaction: uses the invitation up, of which it answers the id, and makes the user and their first session. */
      accept: (
        tokenHash: Uint8Array,
        user: { readonly id: string; readonly passwordHash: string },
        session: NewSession
      ): Effect.Effect<
        { readonly account: Account; readonly invitationId: string },
        InvitationNotFound | EmailTaken
      > =>
        decodeAccepted(sql`
          with accepted as (
            delete from invitations where token_hash = ${tokenHash} and expires_at > now()
            returning id, company_id, email, role
          )
          select a.id, a.email, a.role, a.company_id, c.name as company_name
          from accepted a join companies c on c.id = a.company_id`).pipe(
          Effect.flatMap((found) =>
            Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new InvitationNotFound())
          ),
          Effect.tap(({ company_id, email, role }) =>
            sql`
              insert into users (id, company_id, email, password_hash, role)
              values (${user.id}, ${company_id}, ${email}, ${user.passwordHash}, ${role})`.pipe(
              failsOn("users_email_key", () => new EmailTaken())
            )
          ),
          Effect.tap(() => insertSession(session, user.id)),
          Effect.map(({ company_id, company_name, email, id, role }) => ({
            account: {
              user: { id: user.id, email, role },
              company: { id: company_id, name: company_name }
            },
            invitationId: id
          })),
          orDie
        ),

      deleteExpiredInvitations: Effect.asVoid(
        orDie(sql`delete from invitations where expires_at < now() - interval '30 days'`)
      )
    }
  })
}) {}
