/** doorlock's hosted page as a component of React 19. */
import type { VerificationAttributes } from "doorlock-client/embed"
import { useState } from "react"

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "doorlock-verification": VerificationAttributes
    }
  }
}

interface Properties {
  /** From the response that created the session, token included. */
  readonly verificationUrl: string
  /** The person has finished. Whether they are verified, only your server can tell. */
  readonly onFinished: () => void
}

export const Verification = ({ onFinished, verificationUrl }: Properties) => {
  const [where, setWhere] = useState("Loading")
  return (
    <>
      <script async src={new URL("/kyc/embed.js", verificationUrl).href} />
      <p role="status">{where}</p>
      <doorlock-verification
        verification-url={verificationUrl}
        frame-title="Identity verification"
        ondoorlock-step={({ detail }) => setWhere(`Step ${detail.position} of ${detail.total}`)}
        ondoorlock-completed={onFinished}
        ondoorlock-cancelled={() => setWhere("You have stopped the verification")}
        ondoorlock-expired={() => setWhere("The link has expired")}
        ondoorlock-error={({ detail }) => setWhere(`The verification cannot be shown: ${detail.code}`)}
      />
    </>
  )
}
