/** Serves the page, and calls doorlock for it: the API key stays here. */
import { createClient } from "doorlock-client"
import page from "./index.html"

const { DOORLOCK_API_KEY, DOORLOCK_INSTANCE = "" } = process.env
const { DOORLOCK_URL = "http://localhost:3000", PORT = "8080" } = process.env

const doorlock = createClient({ baseUrl: DOORLOCK_URL, apiKey: DOORLOCK_API_KEY })

const { url } = Bun.serve({
  port: PORT,
  development: false,
  routes: {
    "/": page,
    "/verification": {
      POST: async () => {
        // A real shop uses the id of the signed-in customer.
        const { session, verificationUrl } = await doorlock.sessions.create({
          instanceKey: DOORLOCK_INSTANCE,
          externalReference: crypto.randomUUID()
        })
        return Response.json({ id: session.id, verificationUrl })
      }
    },
    "/verification/:id": {
      POST: async ({ params }) => {
        // A real shop checks that the session is that of the signed-in customer.
        const { session } = await doorlock.sessions.get(params.id)
        const isVerified = session.status === "completed" && session.flags.length === 0
        return Response.json({ result: isVerified ? "verified" : "not verified" })
      }
    }
  }
})
console.log(`The shop is open at ${url}`)
