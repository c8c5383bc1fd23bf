const id = "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13bc"
// Looks like a token, but its checksum is wrong, so that no secret scanner raises an alarm.
const token = "kyc_sess_ffOX0000000000000000000000000000000000000000000000000"

const created = {
  id,
  instance_id: "01a1f8d7-dfc4-72f6-b84c-9d48f8e69172",
  company_id: "01a1f8d6-727f-7182-9b8c-2fe4e9b94026",
  mode: "prod",
  status: "created",
  external_reference: "customer-42",
  expires_at: "2026-11-20T11:00:00.000Z",
  created_at: "2026-11-20T10:00:00.000Z"
}

const person = { givenName: "Ada", familyName: "Lovelace" }

const session = {
  ...created,
  status: "running",
  started_at: "2026-11-20T10:00:05.000Z",
  updated_at: "2026-11-20T10:00:40.000Z",
  completed_at: null,
  redacted_at: null,
  progress: { s_person: person },
  result: null,
  metadata: { plan: "pro" },
  instance_config: { v: 1, title: { en: "Verify your identity" } },
  instance_workflow: { v: 1, id: "onboarding", version: 1, steps: [{ id: "person", type: "form" }] }
}

const assured = {
  ...session,
  failed_rules: [],
  first_workflow: null,
  flags: [],
  assurance: {
    captcha: { verified: true, score: 0.7, at: "2026-11-20T10:00:20.000Z" },
    dedup: { matchFound: false, seenCount: 1, earlierCompleted: false },
    requiredStepsPresent: true,
    missingSteps: [],
    durationMs: null
  },
  review: null,
  previous_session_id: null,
  next_session_id: null
}

const handedOut = {
  verificationUrl: `https://kyc.example.com/kyc/session/${id}?token=${token}`,
  sessionToken: token
}

const overview = {
  ...created,
  status: "running",
  started_at: session.started_at,
  updated_at: "2026-11-20T10:30:00.000Z",
  completed_at: null
}

export const examples = {
  create: {
    request: {
      instanceKey: "kyc_pk_4Wq8sTnB2xLrV7cYpD1mKzE0",
      externalReference: "customer-42",
      expiresInSeconds: 3600,
      successRedirectUrl: "https://example.com/welcome",
      metadata: { plan: "pro" }
    },
    response: { session: created, ...handedOut }
  },
  createTest: {
    request: {},
    response: { session: { ...created, mode: "dev", external_reference: null }, ...handedOut }
  },
  read: { response: { session } },
  progress: {
    request: { token, progress: { s_person: person }, status: "running" },
    response: {
      ok: true,
      session: { id, status: "running", started_at: session.started_at, updated_at: session.updated_at }
    }
  },
  complete: {
    request: { token, result: { outcome: "submitted" } },
    response: { ok: true, session: { id, status: "completed" }, redirectUrl: "https://example.com/welcome" }
  },
  list: { response: { sessions: [assured], next_cursor: null } },
  csv: {
    response: `"id","external_reference","instance_id","mode","status","expired","created_at","started_at","completed_at","expires_at","flags","review","decided_at"\r
"${id}","customer-42","${created.instance_id}","prod","created","false","${created.created_at}","","","${created.expires_at}","","",""\r
`
  },
  get: {
    response: {
      session: {
        ...assured,
        checks: [
          {
            id: "01a1f8d9-0c3e-7a41-b6d2-4e8f90a1b2c3",
            kind: "document.expiry",
            outcome: "agrees",
            reason: "According to the machine-readable zone, the document has not expired.",
            detail: { date: "2031-04-15", source: "zone" },
            file_ids: ["01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13"],
            at: "2026-11-20T10:00:42.000Z",
            engine: "doorlock 1"
          }
        ]
      }
    }
  },
  cancel: {
    request: {},
    response: { session: { ...overview, status: "cancelled", completed_at: overview.updated_at } }
  },
  resume: {
    request: { expiresInSeconds: 3600 },
    response: { session: { ...overview, expires_at: "2026-11-20T11:30:00.000Z" }, ...handedOut }
  }
}
