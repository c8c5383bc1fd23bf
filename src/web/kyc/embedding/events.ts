/** The hosted page's events for the page that frames it. None carries the token or the end user's input. */

type ErrorCode =
  /** The frame is empty: this origin may not frame the page, the link is wrong, or the network failed. */
  | "NOT_READY"
  /** The page has no token: the link has none, or the browser has lost it. */
  | "TOKEN_MISSING"
  /** There is no such session, or the token is wrong. */
  | "SESSION_NOT_FOUND"
  /** The page does not support a step of the workflow. */
  | "UNSUPPORTED_STEP"
  /** The session could not be loaded; the page offers to try again. */
  | "UNREACHABLE"

export type PageEvent =
  /** The page has started and will send further events. */
  | { readonly type: "ready" }
  | {
      readonly type: "step"
      readonly step: { readonly id: string; readonly type: string }
      /** Counted from 1. */
      readonly position: number
      readonly total: number
    }
  /** The server has judged the captcha. */
  | { readonly type: "captcha"; readonly verified: boolean }
  /** The page's height in CSS pixels. */
  | { readonly type: "resize"; readonly height: number }
  /** The session has ended, now or earlier. Proof is only the API's response to the partner's server. */
  | { readonly type: "completed" | "failed" | "cancelled" | "expired" }
  /** The session has just ended. In a frame, the page itself does not redirect to this URL. */
  | { readonly type: "redirect"; readonly redirectUrl: string }
  | { readonly type: "error"; readonly code: ErrorCode }

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
