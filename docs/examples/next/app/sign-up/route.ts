import { doorlock, sessions, shopUrl } from "../../shop.ts"

/** Creates a session, and sends the new customer to the hosted page. */
export const POST = async (): Promise<Response> => {
  // A real shop stores the email address, and signs the customer in.
  const customer = crypto.randomUUID()
  const { session, verificationUrl } = await doorlock.sessions.create(
    {
      instanceKey: process.env.DOORLOCK_INSTANCE ?? "",
      externalReference: customer,
      successRedirectUrl: `${shopUrl}/orders/${customer}`
    },
    // However often this is repeated, the customer gets one session.
    { idempotencyKey: `sign-up-${customer}` }
  )
  sessions.set(customer, session.id)
  return Response.redirect(verificationUrl, 303)
}
