/**
 * A partner's receiver, as an example to read: it uses Bun and the package `standardwebhooks`, and nothing of doorlock. It verifies every
 * delivery, handles each event once, sees by the numbers whether deliveries are missing, and reads what is missing from the feed.
 */
import { Webhook } from "standardwebhooks"

/** An event, as deliveries and the feed have it. */
export interface PartnerEvent {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Settings {
  /** The installation's address, without a trailing slash. */
  readonly doorlock: string
  /** A platform key with the scopes `events:read` and `webhooks:write`. */
  readonly apiKey: string
}

export class PartnerReceiver implements AsyncDisposable {
  /** The events that took effect, by id. A real receiver has a table with the id as primary key. */
  readonly handled = new Map<string, PartnerEvent>()
  /** The bodies of all deliveries that were verified, also of those that came twice. */
  readonly delivered: Array<string> = []
  /** Why deliveries were refused. */
  readonly refused: Array<string> = []
  /** While this is true, it answers 500 and forgets what it was sent. */
  isBroken = false

  readonly #settings: Settings
  readonly #server: Bun.Server<undefined>
  /** All events of the feed up to here took effect. */
  #cursor = ""
  /** Of the endpoint, once it is registered. */
  #webhook: Webhook | undefined
  /** Numbers of deliveries that took effect. */
  readonly #numbers = new Set<number>()
  /** No delivery up to this number is missing. */
  #complete = 0

  private constructor(settings: Settings) {
    this.#settings = settings
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: (request) => this.#receive(request)
    })
  }

  /** Takes the cursor before it registers the endpoint, so that what happens in between is in the feed. */
  static async start(settings: Settings): Promise<PartnerReceiver> {
    const receiver = new PartnerReceiver(settings)
    receiver.#cursor = (await receiver.#call("GET", "/api/events?after=now")).next_cursor
    await receiver.register()
    return receiver
  }

  /** Adds an endpoint, whose deliveries are counted from 1. Returns its path. */
  async register(): Promise<string> {
    const { endpoint, secret } = await this.#call("POST", "/api/webhook-endpoints", { url: this.#server.url })
    this.#webhook = new Webhook(secret)
    this.#numbers.clear()
    this.#complete = 0
    return `/api/webhook-endpoints/${endpoint.id}`
  }

  /** Numbers of deliveries that have not arrived, although a later one has. */
  get missing(): ReadonlyArray<number> {
    const newest = Math.max(this.#complete, ...this.#numbers)
    const since = Array.from({ length: newest - this.#complete }, (_, at) => this.#complete + 1 + at)
    return since.filter((number) => !this.#numbers.has(number))
  }

  /** Reads the feed to its end, and returns the events that had not been delivered. After that nothing is missing. */
  async catchUp(): Promise<ReadonlyArray<PartnerEvent>> {
    // Deliveries are numbered in the order of the feed: what was sent before now is in the feed now.
    const newest = Math.max(this.#complete, ...this.#numbers)
    const found: Array<PartnerEvent> = []
    for (let more = true; more; ) {
      const page = await this.#call("GET", `/api/events?limit=100&after=${this.#cursor}`)
      for (const event of page.events) if (this.#handle(event)) found.push(event)
      this.#cursor = page.next_cursor
      more = page.has_more
    }
    this.#complete = newest
    return found
  }

  async [Symbol.asyncDispose]() {
    await this.#server.stop(true)
  }

  async #receive(request: Request): Promise<Response> {
    // The bytes as they came: a parsed and printed body may differ.
    const body = await request.text()
    const headers = Object.fromEntries(request.headers)
    if (this.#webhook === undefined || this.isBroken) return new Response(null, { status: 500 })
    try {
      const event = this.#webhook.verify(body, headers) as PartnerEvent
      const sequence = headers["doorlock-sequence"]
      // The requests of a drill are no deliveries, and have no number.
      if (sequence !== undefined) {
        const signature = headers["doorlock-sequence-signature"] ?? ""
        this.#webhook.verify(sequence, { ...headers, "webhook-signature": signature })
        this.#numbers.add(Number(sequence))
        this.delivered.push(body)
      }
      this.#handle(event)
      return new Response(null, { status: 204 })
    } catch (error) {
      this.refused.push(String(error))
      return new Response(null, { status: 401 })
    }
  }

  /** Returns false if the event had taken effect before. */
  #handle(event: PartnerEvent): boolean {
    if (this.handled.has(event.id)) return false
    this.handled.set(event.id, event)
    return true
  }

  async #call(method: string, path: string, body?: object) {
    const response = await fetch(this.#settings.doorlock + path, {
      method,
      headers: { "x-api-key": this.#settings.apiKey, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}
