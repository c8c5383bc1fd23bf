/** Types of what doorlock's script `/kyc/embed.js` adds to a page. They are for the compiler only: the script itself is loaded from doorlock. */

export type EmbedErrorCode =
  /** From `<doorlock-verification>`: its `verification-url` is not an http or https URL. There is no frame, and `sessionId` is empty. */
  | "INVALID_URL"
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

/** What a hosted page in a frame reports, without the session. */
export type EmbedReport =
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
  /** The session has ended, now or earlier. Proof is only the API's response to your server. */
  | { readonly type: "completed" | "failed" | "cancelled" | "expired" }
  /** The session has just ended. In a frame, the page itself does not redirect to this URL. */
  | { readonly type: "redirect"; readonly redirectUrl: string }
  | { readonly type: "error"; readonly code: EmbedErrorCode }

/** An event of a hosted page in a frame. It has neither the token nor the end user's input. */
export type EmbedEvent = EmbedReport & {
  readonly source: "doorlock"
  readonly v: 1
  readonly sessionId: string
}

export type EmbedEventType = EmbedEvent["type"]

/** The event of one type. */
export type EmbedEventOf<Type extends EmbedEventType> = Extract<EmbedReport, { readonly type: Type }> &
  EmbedEvent

export interface MountOptions {
  /** The `verificationUrl` of the response that created the session, token included. */
  readonly verificationUrl: string
  /** Called with every event. */
  readonly onEvent?: (event: EmbedEvent) => void
  /** Called after `onEvent`. */
  readonly on?: { readonly [Type in EmbedEventType]?: (event: EmbedEventOf<Type>) => void }
  /** The frame's name for screen readers. */
  readonly title?: string
}

/** The global `doorlock`. */
export interface Embed {
  /** Throws a `TypeError` if the container does not exist or the `verificationUrl` is invalid. */
  readonly mount: (
    container: Element | string,
    options: MountOptions
  ) => {
    /** Removes the frame. No event follows. */
    readonly unmount: () => void
  }
}

/** The element `<doorlock-verification>`. Its properties are its attributes `verification-url` and `frame-title`. */
export interface VerificationElement extends HTMLElement {
  /** The `verificationUrl` of the response that created the session, token included. While it is empty, there is no frame. */
  verificationUrl: string
  /** The frame's name for screen readers. */
  frameTitle: string
}

/** The events of `<doorlock-verification>`. `detail` is the event of the page. They do not bubble. */
export type VerificationEventMap = {
  readonly [Type in EmbedEventType as `doorlock-${Type}`]: CustomEvent<EmbedEventOf<Type>>
}

/** Attributes and handlers of `<doorlock-verification>` in JSX, such as that of React 19. */
export type VerificationAttributes = {
  readonly "verification-url": string
  readonly "frame-title"?: string
} & {
  readonly [Name in keyof VerificationEventMap as `on${Name}`]?: (event: VerificationEventMap[Name]) => void
}

declare global {
  interface Window {
    readonly doorlock: Embed
  }
  interface HTMLElementTagNameMap {
    "doorlock-verification": VerificationElement
  }
  interface HTMLElementEventMap extends VerificationEventMap {}
}
