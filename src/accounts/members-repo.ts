import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { orDie, row, rowCount, rows } from "../db/sql.ts"
import { foundOr } from "../shared/found.ts"
import { MemberNotFound, OwnerNeeded, RoleForbidden } from "./errors.ts"
import { Member, Role } from "./model.ts"

const orNotFound = foundOr(() => new MemberNotFound())

/** A user or invitation before a change. */
export const Subject = Schema.Struct({ email: Schema.String, role: Role })

/** An invitation withdrawn because its creator was removed or demoted. */
const Withdrawn = Schema.Struct({ id: Schema.String, ...Subject.fields })
export type Withdrawn = typeof Withdrawn.Type

/** The user who acts. */
interface ActingOwner {
  readonly id: string
  readonly companyId: string
}

/** A company's users in Postgres. */
export class MembersRepo extends Effect.Service<MembersRepo>()("MembersRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeMembers = rows(Schema.typeSchema(Member))
    const decodeMember = row(Schema.typeSchema(Member))
    const decodeSubject = row(Subject)
    const decodeWithdrawn = rows(Withdrawn)

    const memberColumns = sql.literal(`
      u.id, u.email, u.role, u.created_at,
      (select max(last_seen_at) from dashboard_sessions s where s.user_id = u.id) as last_seen_at`)

    const find = (companyId: string, id: string) =>
      decodeMember(
        sql`select ${memberColumns} from users u where u.company_id = ${companyId} and u.id = ${id}`
      )

    /**
     * For a transaction. One change at a time: otherwise two owners could remove each other. Fails with `RoleForbidden` if the user is no
     * owner any more: they could undo their own demotion, which this waited for.
     */
    const keepingAnOwner = <A, E>({ companyId, id }: ActingOwner, change: Effect.Effect<A, E>) =>
      orDie(sql`select from companies where id = ${companyId} for update`).pipe(
        Effect.zipRight(
          rowCount(sql`select from users where company_id = ${companyId} and id = ${id} and role = 'owner'`)
        ),
        Effect.filterOrFail(
          (owners) => owners > 0,
          () => new RoleForbidden()
        ),
        Effect.zipRight(change),
        Effect.tap(() =>
          Effect.filterOrFail(
            rowCount(sql`select from users where company_id = ${companyId} and role = 'owner' limit 1`),
            (owners) => owners > 0,
            () => new OwnerNeeded()
          )
        )
      )

    /** For a transaction in which the user loses the right to invite. */
    const withdrawAllOf = (companyId: string, userId: string) =>
      decodeWithdrawn(sql`
        delete from invitations where company_id = ${companyId} and invited_by = ${userId}
        returning id, email, role`)

    return {
      /** In the order in which they joined. */
      list: (companyId: string) =>
        decodeMembers(sql`
          select ${memberColumns} from users u where u.company_id = ${companyId} order by u.created_at, u.id`),

      /** For a transaction. Withdraws the member's invitations unless they stay an owner. */
      changeRole: (by: ActingOwner, id: string, role: Role) =>
        keepingAnOwner(
          by,
          Effect.gen(function* () {
            const { companyId } = by
            const before = yield* orNotFound(
              decodeSubject(sql`
                select email, role from users where company_id = ${companyId} and id = ${id} for no key update`)
            )
            yield* orDie(sql`update users set role = ${role} where id = ${id}`)
            const withdrawn = role === "owner" ? [] : yield* withdrawAllOf(companyId, id)
            return { before, member: yield* orNotFound(find(companyId, id)), withdrawn }
          })
        ),

      /** For a transaction. Ends the user's sessions and withdraws their invitations. */
      remove: (by: ActingOwner, id: string) =>
        keepingAnOwner(
          by,
          Effect.gen(function* () {
            const { companyId } = by
            const withdrawn = yield* withdrawAllOf(companyId, id)
            const removed = yield* orNotFound(
              decodeSubject(
                sql`delete from users where company_id = ${companyId} and id = ${id} returning email, role`
              )
            )
            return { removed, withdrawn }
          })
        )
    }
  })
}) {}
