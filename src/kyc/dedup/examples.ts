const id = "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13bc"

export const examples = {
  check: {
    request: {
      token: "kyc_sess_ffOX0000000000000000000000000000000000000000000000000",
      keyHash: "d5b809910c48e00f61225dbcee51547ae68abb913eed4df9dadc4e2827123978"
    },
    response: {
      ok: true,
      matchFound: false,
      firstSessionId: id,
      lastSessionId: id,
      seenCount: 1,
      firstSeenAt: "2026-11-20T10:00:30.000Z",
      lastSeenAt: "2026-11-20T10:00:30.000Z"
    }
  },
  listMatches: {
    response: {
      matches: [
        {
          id,
          instance_id: "01a1f8d7-dfc4-72f6-b84c-9d48f8e69172",
          mode: "prod",
          status: "completed",
          external_reference: "customer-41",
          created_at: "2026-11-20T10:00:00.000Z",
          completed_at: "2026-11-20T10:01:10.000Z",
          review: { status: "decided", decision: "approved" }
        }
      ]
    }
  }
}
