import { verifyWebhook, WebhookError } from "doorlock-client"
import { doorlock, isVerified } from "../../shop.ts"

/** Hears of verifications that were completed or reviewed, also if the customer never comes back. */
export const POST = async (request: Request): Promise<Response> => {
  try {
    const event = await verifyWebhook(
      { body: await request.text(), headers: request.headers },
      process.env.WEBHOOK_SECRET ?? ""
    )
    // The event says that something happened. Only the API says what is true now.
    if (event.type === "kyc.session.completed" || event.type === "kyc.session.reviewed") {
      const { session } = await doorlock.sessions.get(event.data.id)
      console.log(`${session.external_reference} is ${isVerified(session) ? "verified" : "not verified"}`)
    }
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof WebhookError) return new Response(error.problem, { status: 400 })
    throw error
  }
}
