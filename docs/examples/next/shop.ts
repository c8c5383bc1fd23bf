/** What the routes share. Keep it on the server: it has the API key. */
import { type CheckedKycSession, createClient } from "doorlock-client"

export const doorlock = createClient({
  baseUrl: process.env.DOORLOCK_URL ?? "http://localhost:3000",
  apiKey: process.env.DOORLOCK_API_KEY
})

export const shopUrl = process.env.SHOP_URL ?? "http://localhost:8080"

/** Which session belongs to which customer. A real shop has a table: Next.js may run each route in a process of its own. */
export const sessions = new Map<string, string>()

/** Whether the shop accepts the customer: all steps were finished, nothing is suspicious, and a review approved it if there is one. */
export const isVerified = ({ flags, review, status }: CheckedKycSession) =>
  status === "completed" && flags.length === 0 && (review === null || review.decision === "approved")
