/**
 * What the hosted page tells the page that shows it in a frame: written once for the page, which sends it, and `embed.js`,
 * which receives it. No event carries the token, or anything that was typed or photographed.
 */

/** Why the page cannot be gone on with. */
type ErrorCode =
  /** The frame stayed empty: it may not be shown on this origin, its link does not work, or the network failed. */
  | "NOT_READY"
  /** The page knows no token: the link was opened without it, or the browser forgot it. */
  | "TOKEN_MISSING"
  /** The session does not exist (any more), or its token is another. */
  | "SESSION_NOT_FOUND"
  /** The workflow has a step that the page does not know. */
  | "UNSUPPORTED_STEP"
  /** The session could not be read; the page offers to try again. */
  | "UNREACHABLE"

export type PageEvent =
  /** The page has started, and will tell the rest. */
  | { readonly type: "ready" }
  /** A step is shown. */
  | {
      readonly type: "step"
      readonly step: { readonly id: string; readonly type: string }
      /** Counted from 1, among the steps that this session goes through. */
      readonly position: number
      readonly total: number
    }
  /** The server has judged the captcha. */
  | { readonly type: "captcha"; readonly verified: boolean }
  /** What the page needs to be seen whole, in CSS pixels. */
  | { readonly type: "resize"; readonly height: number }
  /** The session is over, now or since before. The word of a browser: what counts is what the API answers the partner. */
  | { readonly type: "completed" | "failed" | "cancelled" | "expired" }
  /** The session has just ended, and its end user would go on here. In a frame the page does not go there by itself. */
  | { readonly type: "redirect"; readonly redirectUrl: string }
  | { readonly type: "error"; readonly code: ErrorCode }

/** An event as it is sent. */
export type Message = PageEvent & {
  readonly source: "doorlock"
  readonly v: 1
  readonly sessionId: string
}

export const message = (sessionId: string, event: PageEvent): Message => ({
  source: "doorlock",
  v: 1,
  sessionId,
  ...event
})
