/** What readers of the docs want to do, and the groups of the contract that they need for it. */
import type { IconName } from "../../web/brand/icons.ts"

interface Group {
  /** The tag in the OpenAPI document. */
  readonly tag: string
  /** What the docs call it. */
  readonly label: string
}

export interface Goal {
  readonly title: string
  readonly icon: IconName
  readonly intro: string
  readonly groups: ReadonlyArray<Group>
}

export const goals: ReadonlyArray<Goal> = [
  {
    title: "Verify a person",
    icon: "sessions",
    intro: "Create a session, send its link to the person, and read the result.",
    groups: [
      { tag: "KYC session creation", label: "Create a session" },
      { tag: "KYC sessions, for the partner's server", label: "Sessions" },
      { tag: "KYC session lifecycle, for the partner's server", label: "Cancel and resume" },
      { tag: "KYC instances", label: "Instances" },
      { tag: "KYC test sessions", label: "Test sessions" },
      { tag: "KYC figures", label: "Figures" }
    ]
  },
  {
    title: "Review and decide",
    icon: "reviews",
    intro: "Look at documents and duplicates, approve or decline, and delete what you no longer need.",
    groups: [
      { tag: "KYC reviews", label: "Reviews" },
      { tag: "KYC files, for the partner's server", label: "Photos and files" },
      { tag: "KYC duplicates, for the partner's server", label: "Duplicates" },
      { tag: "KYC timeline, for the partner's server", label: "Timeline" },
      { tag: "KYC export, for the partner's server", label: "Export" },
      { tag: "KYC redaction, for the partner's server", label: "Delete personal data" }
    ]
  },
  {
    title: "Receive events",
    icon: "webhooks",
    intro: "Receive webhooks when something happens, or read the same events from a feed.",
    groups: [
      { tag: "Webhooks", label: "Webhook endpoints" },
      { tag: "Events", label: "Event feed" }
    ]
  },
  {
    title: "Call an API",
    icon: "browse",
    intro: "Find a published API, subscribe to a plan, and get keys for the gateway.",
    groups: [
      { tag: "API catalog", label: "Catalog" },
      { tag: "Marketplace subscriptions", label: "Subscriptions" },
      { tag: "Marketplace keys", label: "Subscription keys" },
      { tag: "Marketplace usage", label: "Usage" }
    ]
  },
  {
    title: "Publish an API",
    icon: "publishing",
    intro: "Describe your API, add versions and plans, and publish it on the gateway.",
    groups: [{ tag: "API publishing", label: "Publishing" }]
  },
  {
    title: "Manage keys and members",
    icon: "keys",
    intro: "Issue keys to your servers, invite colleagues, and see who did what.",
    groups: [
      { tag: "Platform API keys", label: "Platform keys" },
      { tag: "Members", label: "Members" },
      { tag: "Invitations", label: "Invitations" },
      { tag: "Accepting an invitation", label: "Accept an invitation" },
      { tag: "Sign-in", label: "Sign-in" },
      { tag: "Account", label: "Account" },
      { tag: "Audit trail", label: "Audit trail" }
    ]
  },
  {
    title: "Build your own verification page",
    icon: "instances",
    intro:
      "The routes behind the hosted page. Only the person's browser calls them, with the session's token.",
    groups: [
      { tag: "KYC sessions", label: "The session" },
      { tag: "KYC file upload", label: "Upload" },
      { tag: "KYC readings", label: "Reading a photo" },
      { tag: "KYC captcha", label: "Captcha" },
      { tag: "KYC captcha challenges", label: "Captcha challenges" },
      { tag: "KYC deduplication", label: "Duplicate check" },
      { tag: "KYC receipts", label: "Receipts" },
      { tag: "KYC receipt keys", label: "Receipt keys" },
      { tag: "KYC handoffs", label: "Handoff: first device" },
      { tag: "KYC handoff links", label: "Handoff: second device" }
    ]
  },
  {
    title: "Operate doorlock",
    icon: "overview",
    intro: "Check that the service is healthy, and collect its metrics.",
    groups: [
      { tag: "Operations", label: "Health and metrics" },
      { tag: "MCP", label: "Tools for agents" }
    ]
  }
]
