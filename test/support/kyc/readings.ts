/** Readings: photos that the server reads for a browser that cannot. */
import { Effect } from "effect"
import { type Answer, field, send, type TestSession } from "../client.ts"
import { eventually } from "../eventually.ts"
import type { RunningServer } from "../server.ts"

type Server = Pick<RunningServer, "url">
type Holder = Pick<TestSession, "path" | "token">

const pathOf = ({ path }: Holder, file: string) => `${path}/files/${file}/reading`

export const startReading = (server: Server, session: Holder, file: string): Effect.Effect<Answer> =>
  send(server, "POST", pathOf(session, file), { json: { token: session.token } })

export const getReading = (server: Server, session: Holder, file: string): Effect.Effect<Answer> =>
  send(server, "GET", `${pathOf(session, file)}?token=${session.token}`)

/** The fields of a reading, once it is done. */
export const fieldsRead = (server: Server, session: Holder, file: string) =>
  eventually(
    "the photo is read",
    Effect.map(getReading(server, session, file), ({ body }) => body),
    (body) => field(body, "reading", "status") === "done"
  ).pipe(Effect.map((body) => field(body, "reading", "fields")))
