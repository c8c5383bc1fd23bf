/** A shop where only verified customers may order, on Hono and Bun. */
import { type CheckedKycSession, createClient, verifyWebhook, WebhookError } from "doorlock-client"
import { Hono } from "hono"
import { html } from "hono/html"

const { DOORLOCK_API_KEY, DOORLOCK_INSTANCE = "", WEBHOOK_SECRET = "" } = process.env
const { DOORLOCK_URL = "http://localhost:3000", PORT = "8080" } = process.env
const { SHOP_URL = `http://localhost:${PORT}` } = process.env

const doorlock = createClient({ baseUrl: DOORLOCK_URL, apiKey: DOORLOCK_API_KEY })

/** Which session belongs to which customer. A real shop has a table. */
const sessions = new Map<string, string>()

/** Whether the shop accepts the customer: all steps were finished, nothing is suspicious, and a review approved it if there is one. */
const isVerified = ({ flags, review, status }: CheckedKycSession) =>
  status === "completed" && flags.length === 0 && (review === null || review.decision === "approved")

const shop = new Hono()

shop.get("/", (context) =>
  context.html(html`<h1>A shop</h1>
    <form method="post" action="/sign-up">
      <label>Email <input name="email" type="email" required></label>
      <button>Sign up</button>
    </form>`)
)

shop.post("/sign-up", async (context) => {
  // A real shop stores the email address, and signs the customer in.
  const customer = crypto.randomUUID()
  const { session, verificationUrl } = await doorlock.sessions.create(
    {
      instanceKey: DOORLOCK_INSTANCE,
      externalReference: customer,
      successRedirectUrl: `${SHOP_URL}/orders/${customer}`
    },
    // However often this is repeated, the customer gets one session.
    { idempotencyKey: `sign-up-${customer}` }
  )
  sessions.set(customer, session.id)
  return context.redirect(verificationUrl, 303)
})

shop.get("/orders/:customer", async (context) => {
  const id = sessions.get(context.req.param("customer"))
  if (id === undefined) return context.notFound()
  const { session } = await doorlock.sessions.get(id)
  return context.html(
    isVerified(session)
      ? html`<h1>Your orders</h1><p>You are verified. What would you like?</p>`
      : html`<h1>Your orders</h1><p>You can order when we have verified you.</p>`
  )
})

shop.post("/webhooks", async (context) => {
  try {
    const event = await verifyWebhook(
      { body: await context.req.text(), headers: context.req.raw.headers },
      WEBHOOK_SECRET
    )
    // The event says that something happened. Only the API says what is true now.
    if (event.type === "kyc.session.completed" || event.type === "kyc.session.reviewed") {
      const { session } = await doorlock.sessions.get(event.data.id)
      console.log(`${session.external_reference} is ${isVerified(session) ? "verified" : "not verified"}`)
    }
    return context.body(null, 204)
  } catch (error) {
    if (error instanceof WebhookError) return context.text(error.problem, 400)
    throw error
  }
})

const { url } = Bun.serve({ port: PORT, fetch: shop.fetch })
console.log(`The shop is open at ${url}`)
