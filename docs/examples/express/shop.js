/** A shop where only verified customers may order, on Express and Node. */
import { randomUUID } from "node:crypto"
import { createClient, verifyWebhook, WebhookError } from "doorlock-client"
import express from "express"

const { DOORLOCK_API_KEY, DOORLOCK_INSTANCE = "", WEBHOOK_SECRET = "" } = process.env
const { DOORLOCK_URL = "http://localhost:3000", PORT = "8080" } = process.env
const { SHOP_URL = `http://localhost:${PORT}` } = process.env

const doorlock = createClient({ baseUrl: DOORLOCK_URL, apiKey: DOORLOCK_API_KEY })

/**
 * Which session belongs to which customer. A real shop has a table.
 * @type {Map<string, string>}
 */
const sessions = new Map()

/**
 * Whether the shop accepts the customer: all steps were finished, nothing is suspicious, and a review approved it if there is one.
 * @param {import("doorlock-client").CheckedKycSession} session
 */
const isVerified = ({ flags, review, status }) =>
  status === "completed" && flags.length === 0 && (review === null || review.decision === "approved")

const shop = express()

shop.get("/", (_, response) => {
  response.send(`<h1>A shop</h1>
    <form method="post" action="/sign-up">
      <label>Email <input name="email" type="email" required></label>
      <button>Sign up</button>
    </form>`)
})

shop.post("/sign-up", async (_, response) => {
  // A real shop stores the email address, and signs the customer in.
  const customer = randomUUID()
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
  response.redirect(303, verificationUrl)
})

shop.get("/orders/:customer", async (request, response) => {
  const id = sessions.get(request.params.customer)
  if (id === undefined) {
    response.sendStatus(404)
    return
  }
  const { session } = await doorlock.sessions.get(id)
  response.send(
    isVerified(session)
      ? "<h1>Your orders</h1><p>You are verified. What would you like?</p>"
      : "<h1>Your orders</h1><p>You can order when we have verified you.</p>"
  )
})

// The signature is that of the bytes as they were sent, so no parser may come before it.
shop.post("/webhooks", express.raw({ type: "application/json" }), async (request, response) => {
  try {
    const event = await verifyWebhook({ body: request.body, headers: request.headers }, WEBHOOK_SECRET)
    // The event says that something happened. Only the API says what is true now.
    if (event.type === "kyc.session.completed" || event.type === "kyc.session.reviewed") {
      const { session } = await doorlock.sessions.get(event.data.id)
      console.log(`${session.external_reference} is ${isVerified(session) ? "verified" : "not verified"}`)
    }
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    response.status(400).send(error.problem)
  }
})

shop.listen(PORT, () => console.log(`The shop is open at http://localhost:${PORT}/`))
