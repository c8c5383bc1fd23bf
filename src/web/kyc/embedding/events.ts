/**
 * The events that the hosted page sends to the page that frames it. The page and `embed.js`, which receives them, share
 * these types. No event carries the token or anything that was typed or photographed.
 */

/** Why the page cannot continue. */
type ErrorCode =
  /** The frame stayed empty: it may not be shown on this origin, its link does not work, or the network failed. */
  | "NOT_READY"
  /** The page has no token: the link has none, or the browser has lost it. */
  | "TOKEN_MISSING"
  /** The session does not exist (any more), or the token is wrong. */
  | "SESSION_NOT_FOUND"
  /** The page does not support a step of the workflow. */
  | "UNSUPPORTED_STEP"
  /** The session could not be loaded; the page offers to try again. */
  | "UNREACHABLE"

export type PageEvent =
  /** The page has started and will send further events. */
  | { readonly type: "ready" }
  /** A step is shown. */
  | {
      readonly type: "step"
      readonly step: { readonly id: string; readonly type: string }
      /** The step's position, counted from 1, among the steps of this session. */
      readonly position: number
      readonly total: number
    }
  /** The server has judged the captcha. */
  | { readonly type: "captcha"; readonly verified: boolean }
  /** The height that shows the whole page, in CSS pixels. */
  | { readonly type: "resize"; readonly height: number }
  /** The session has ended, now or earlier. A browser reports this: rely only on the API's response to the partner's server. */
  | { readonly type: "completed" | "failed" | "cancelled" | "expired" }
  /** The session has just ended, and the end user would go to this URL. In a frame, the page does not redirect on its own. */
  | { readonly type: "redirect"; readonly redirectUrl: string }
  | { readonly type: "error"; readonly code: ErrorCode }

/** An event as sent. */
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
