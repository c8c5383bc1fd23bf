/** A receiver of webhooks on loopback, and a company that has endpoints. */
import { Context, Effect, Layer, type Scope } from "effect"
import { WorkSignal } from "../../../src/work/signal-service.ts"
import { type Answer, createKey, send, signUp, text } from "../client.ts"
import { eventually } from "../eventually.ts"
import { execute } from "../postgres.ts"
import { type OwnServer, oncePerProcess, startServer } from "../server.ts"

/** A request as the receiver got it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Receiver {
  /** `http://127.0.0.1:<port>/hooks` */
  readonly url: string
  readonly received: Array<Received>
  /** How it answers, until a test changes it. */
  answer: (request: Received) => Response | Promise<Response>
  readonly stop: Effect.Effect<void>
}

/** Answers 204 until the scope closes. */
export const startReceiverOn = (port: number): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const receiver: { -readonly [Key in keyof Receiver]: Receiver[Key] } = {
        url: "",
        received: [],
        answer: () => new Response(null, { status: 204 }),
        stop: Effect.promise(() => listening.stop(true))
      }
      const listening = Bun.serve({
        port,
        hostname: "127.0.0.1",
        idleTimeout: 0,
        fetch: async (request) => {
          const { pathname, search } = new URL(request.url)
          const received = {
            method: request.method,
            path: pathname + search,
            headers: Object.fromEntries(request.headers),
            body: await request.text()
          }
          receiver.received.push(received)
          return receiver.answer(received)
        }
      })
      receiver.url = `http://127.0.0.1:${listening.port}/hooks`
      return receiver
    }),
    ({ stop }) => stop
  )

export const startReceiver = startReceiverOn(0)

/** Lets jobs of deliveries that have failed wait a day longer, that is, until a test makes them due. */
const retriedOnDemand = `
  create function retried_on_demand() returns trigger language plpgsql as $$
    begin
      new.due := new.due + interval '1 day';
      return new;
    end $$;
  create trigger retried_on_demand before update of due on work_jobs for each row
    when (new.kind = 'webhook.delivery' and new.attempt > old.attempt) execute function retried_on_demand()`

const webhookServer = oncePerProcess(
  Effect.tap(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }), ({ databaseUrl }) =>
    execute(databaseUrl, retriedOnDemand)
  )
)

/** A server whose endpoints may be on this machine, whose retries do not begin within a test. */
export class WebhookServer extends Context.Tag("WebhookServer")<WebhookServer, OwnServer>() {
  static readonly layer = Layer.effect(WebhookServer, webhookServer)
}

/** A company, and the webhook routes with the credentials of its owner. */
export const hooked = Effect.gen(function* () {
  const server = yield* WebhookServer
  const member = yield* signUp(server)
  const ask = (method: string, path: string, json?: unknown): Effect.Effect<Answer> =>
    send(server, method, path, {
      headers: { cookie: member.cookie },
      ...(json === undefined ? {} : { json })
    })
  const add = (url: string, fields: object = {}) =>
    Effect.map(ask("POST", "/api/webhook-endpoints", { url, ...fields }), ({ body }) => {
      const id = text(body, "endpoint", "id")
      return { id, body, path: `/api/webhook-endpoints/${id}` }
    })
  /** Records an event of the company, and returns the id of the key that it is about. */
  const happen = Effect.map(createKey(server, member), ({ id }) => id)
  /** The company's jobs. */
  const ownJobs = `kind in ('webhook.delivery', 'webhook.recovery')
    and lane like '${member.companyId}/%'`

  /** Waits until every delivery that is due has been attempted. */
  const attemptDue = Effect.gen(function* () {
    const [start] = yield* execute(server.databaseUrl, "select now()::text as now")
    Context.get(server.services, WorkSignal).wake()
    yield* eventually(
      "no delivery is due",
      Effect.map(
        // Not by the time of each look: what has failed is due again in four seconds.
        execute(server.databaseUrl, `select from work_jobs where ${ownJobs} and due <= $1`, [start?.now]),
        (due) => due.length === 0
      )
    )
  })

  /** Makes all deliveries due, and returns after how many milliseconds each would have been, in order. */
  const makeDue = Effect.map(
    execute(
      server.databaseUrl,
      `with before as (select number, kind, lane, due from work_jobs where ${ownJobs}), moved as (
         update work_jobs j set due = now() from before b where b.number = j.number
       ), lanes as (
         update work_lanes l set due = now(), version = version + 1 from (select distinct kind, lane from before) b
         where l.kind = b.kind and l.key = b.lane
       )
       select round(extract(epoch from due - now()) * 1000)::int as ms from before order by due`
    ),
    (rows) => rows.map(({ ms }) => Number(ms))
  )
  return { server, member, ask, add, happen, attemptDue, makeDue }
})
