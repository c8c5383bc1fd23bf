/** An example request and response of each route, for the OpenAPI document. */
const sessionId = "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13bc"
const nextId = "01a1f8e1-5a4e-7d0c-8f52-2c9b7f1e6a30"
const userId = "01a1f8d6-727f-7183-b0c4-9e1f7a6d2c55"

const pending = {
  session_id: sessionId,
  instance_id: "01a1f8d7-dfc4-72f6-b84c-9d48f8e69172",
  instance_name: "Onboarding",
  mode: "prod",
  external_reference: "customer-42",
  flags: ["dedup_match"],
  status: "pending",
  decision: null,
  reasons: [],
  decided_at: null,
  decided_by: null,
  decided_by_email: null,
  waiting_since: "2026-11-20T10:00:40.000Z",
  claim: null,
  proposal: null,
  failed_rules: [],
  previous_session_id: null,
  next_session_id: null,
  link_shown_to: []
}

const claimed = {
  ...pending,
  claim: { user_id: userId, email: "ada@example.com", until: "2026-11-20T10:20:00.000Z" }
}

const decided = {
  ...pending,
  status: "decided",
  decision: "resubmission",
  reasons: ["photo_unreadable"],
  decided_at: "2026-11-20T10:06:00.000Z",
  decided_by: userId,
  decided_by_email: "ada@example.com",
  next_session_id: nextId
}

const note = {
  id: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13",
  text: "The back of the card is blurred",
  written_by: userId,
  written_by_email: "ada@example.com",
  created_at: "2026-11-20T10:05:00.000Z"
}

const linkOf = (id: string) =>
  `https://kyc.example.com/kyc/session/${id}?token=kyc_sess_ffOX0000000000000000000000000000000000000000000000000`

export const examples = {
  list: { response: { reviews: [claimed], next_cursor: null } },
  choices: {
    response: {
      instances: [{ id: pending.instance_id, name: pending.instance_name }],
      reviewers: [{ id: userId, email: "ada@example.com" }]
    }
  },
  get: {
    response: {
      review: pending,
      options: {
        four_eyes: false,
        reasons: [{ code: "photo_unreadable", text: "The photo of the document cannot be read" }],
        steps: [
          { id: "person", type: "form" },
          { id: "document", type: "document" }
        ]
      }
    }
  },
  claim: { request: {}, response: { review: claimed } },
  release: { request: {}, response: { review: pending } },
  decide: {
    request: {
      decision: "resubmission",
      reasons: ["photo_unreadable"],
      steps: ["document"],
      note: "The back of the card is blurred"
    },
    response: {
      review: decided,
      verificationUrl: linkOf(nextId)
    }
  },
  renewLink: {
    request: { expiresInSeconds: 604_800 },
    response: {
      session: {
        id: nextId,
        instance_id: pending.instance_id,
        company_id: "01a1f8d6-727f-7182-9b8c-2fe4e9b94026",
        mode: "prod",
        status: "created",
        external_reference: "customer-42",
        expires_at: "2026-11-28T09:00:00.000Z",
        created_at: "2026-11-20T10:06:00.000Z",
        started_at: null,
        updated_at: "2026-11-21T09:00:00.000Z",
        completed_at: null
      },
      verificationUrl: linkOf(nextId)
    }
  },
  listNotes: { response: { notes: [note] } },
  addNote: { request: { text: note.text }, response: { note } }
}
