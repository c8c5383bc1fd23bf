/** The hosted page's events for the page that frames it. None carries the token or the end user's input. */
import type { EmbedEvent, EmbedReport } from "../../../client/package/embed.ts"

export type { EmbedReport }

export const message = (sessionId: string, event: EmbedReport): EmbedEvent => ({
  source: "doorlock",
  v: 1,
  sessionId,
  ...event
})
