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
  }
}
