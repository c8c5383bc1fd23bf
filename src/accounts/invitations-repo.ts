import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, row, rowCount, rows } from "../db/sql.ts"
import { foundOr } from "../shared/found.ts"
import { EmailTaken, InvitationNotFound, RoleForbidden, TooManyMembers } from "./errors.ts"
import { Subject } from "./members-repo.ts"
import { Invitation, type NewSession, OpenInvitation, type Role } from "./model.ts"
import { AccountRow, sessionInsert, userInsert } from "./repo.ts"

const invitationDays = 7

const AcceptedRow = Schema.Struct({
  ...AccountRow.fields,
  /** Whether any company has an account with the invited address. */
  taken: Schema.Boolean
})

interface NewInvitation {
  readonly id: string
  readonly companyId: string
  readonly email: string
  readonly role: Role
  readonly tokenHash: Uint8Array
  readonly invitedBy: string
}

/** A company's invitations, in Postgres. */
export class InvitationsRepo extends Effect.Service<InvitationsRepo>()("InvitationsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeInvitations = rows(Schema.typeSchema(Invitation))
    const decodeCount = onlyRow(Schema.Struct({ total: Schema.Number }))
    const decodeInvitation = row(Schema.typeSchema(Invitation))
    const decodeOpen = row(Schema.typeSchema(OpenInvitation))
    const decodeAccepted = row(AcceptedRow)
    const decodeSubject = row(Subject)
    const insertUser = userInsert(sql)
    const insertSession = sessionInsert(sql)

    /** The creator `m` of an invitation `i` is still an owner. A removed creator matches no row. */
    const byOneWhoMay = sql.literal(
      "m.id = i.invited_by and m.company_id = i.company_id and m.role = 'owner'"
    )
    const invitationColumns = sql.literal(
      "i.id, i.email, i.role, i.created_at, i.expires_at, jsonb_build_object('id', m.id, 'email', m.email) as invited_by"
    )

    /**
     * For a transaction. Until it ends, no role in the company changes and nobody is removed, so a role
     * checked after this call still holds at commit. Callers do not wait for each other.
     */
    const holdingRoles = (companyId: string) =>
      orDie(sql`select from companies where id = ${companyId} for key share`)

    return {
      /** Newest first. Includes expired ones, so that an owner can send them again. */
      list: (companyId: string) =>
        decodeInvitations(sql`
          select ${invitationColumns} from invitations i join users m on ${byOneWhoMay}
          where i.company_id = ${companyId} order by i.created_at desc, i.id desc`),

      /**
       * For a transaction. Replaces any earlier invitation of the address. Fails with `EmailTaken` if the
       * company has a user with this address, with `RoleForbidden` if the creator is no longer an owner, and
       * with `TooManyMembers`. Reveals nothing about the users of other companies.
       */
      invite: (
        invitation: NewInvitation,
        most: number
      ): Effect.Effect<Invitation, EmailTaken | RoleForbidden | TooManyMembers> =>
        holdingRoles(invitation.companyId).pipe(
          Effect.zipRight(
            rowCount(sql`
              select from users where company_id = ${invitation.companyId} and email = ${invitation.email}`)
          ),
          Effect.filterOrFail(
            (users) => users === 0,
            () => new EmailTaken()
          ),
          // Concurrent invitations may each find the last free place.
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

      /** Returns the invited address and role; none if the company has no such invitation. */
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
       * For a transaction. Creates the user and their first session. The inviter must be an owner now: this
       * waits for a removal or demotion in progress, and a later one waits for this. If an account elsewhere
       * has the invited address, the user gets `otherEmail`; without it, this fails with `EmailTaken`. That
       * account stays untouched: nobody has proved that its owner or the link's holder owns the address.
       */
      accept: (
        tokenHash: Uint8Array,
        user: { readonly id: string; readonly passwordHash: string; readonly otherEmail: string | undefined },
        session: NewSession
      ) =>
        orDie(sql`
          select from invitations i join companies c on c.id = i.company_id
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
          Effect.tap(({ account }) => insertUser(account, user.passwordHash)),
          Effect.tap(() => insertSession(session, user.id)),
          orDie
        ),

      deleteExpired: Effect.asVoid(
        orDie(sql`delete from invitations where expires_at < now() - interval '30 days'`)
      )
    }
  })
}) {}
