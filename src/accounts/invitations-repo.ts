import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failsOn, onlyRow, orDie, row, rows } from "../db/sql.ts"
import { foundOr } from "../found.ts"
import { EmailTaken, InvitationNotFound, RoleForbidden, TooManyMembers } from "./errors.ts"
import { Subject } from "./members-repo.ts"
import { type Account, Invitation, type NewSession, OpenInvitation, Role } from "./model.ts"
import { sessionInsert } from "./repo.ts"

/** Days for which an invitation's link is good. */
const invitationDays = 7

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

/** Those whom a company has invited, in Postgres. */
export class InvitationsRepo extends Effect.Service<InvitationsRepo>()("InvitationsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeInvitations = rows(Schema.typeSchema(Invitation))
    const decodeCount = onlyRow(Schema.Struct({ total: Schema.Number }))
    const decodeInvitation = row(Schema.typeSchema(Invitation))
    const decodeOpen = row(Schema.typeSchema(OpenInvitation))
    const decodeAccepted = row(AcceptedRow)
    const decodeSubject = row(Subject)
    const decodeIds = rows(Schema.Struct({ id: Schema.String }))
    const insertSession = sessionInsert(sql)

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

    /**
     * In a transaction: until it ends nobody's role in the company changes and nobody is removed, so that what is then asked of a
     * role holds when it commits. Others who only ask that are not waited for.
     */
    const holdingRoles = (companyId: string) =>
      orDie(sql`select from companies where id = ${companyId} for key share`)

    return {
      /**
       * Those that have not been accepted, newest first; expired ones too, so that they can be sent anew. One whose maker may not
       * make it any more is none.
       */
      list: (companyId: string) =>
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

      deleteExpired: Effect.asVoid(
        orDie(sql`delete from invitations where expires_at < now() - interval '30 days'`)
      )
    }
  })
}) {}
