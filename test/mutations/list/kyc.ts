/** Identity verification. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import { changes, type Mutation } from "../model.ts"

export const kyc: ReadonlyArray<Mutation> = [
  ...changes("kyc/captcha/service.ts", ["kyc/captcha/verify"], {
    "a captcha of another site counts": [
      'if (claims.siteKey !== siteKey) return rejected("SITE_MISMATCH")',
      ""
    ]
  }),
  ...changes("kyc/captcha/service.ts", ["kyc/captcha/tokens"], {
    "an expired captcha counts": ["claims.exp <= now || ", ""]
  }),
  ...changes("kyc/captcha/repo.ts", ["kyc/captcha/once"], {
    "a captcha counts for two sessions": ["where t.session_id = excluded.session_id", "where true"],
    "a captcha counts for a session that expires meanwhile": [" and expires_at > now()", ""]
  }),
  ...changes("kyc/captcha/issuer.ts", ["kyc/captcha/key-set"], {
    "tokens of an algorithm that the contract names are refused": ['"RS384",', ""]
  }),
  ...changes("kyc/checks/date-findings-model.ts", ["kyc/checks/findings"], {
    "a document expires on its last day": ["const isOver = date < today", "const isOver = date <= today"],
    "whoever is just old enough is too young": ["years < minimumAge ?", "years <= minimumAge ?"]
  }),
  ...changes("kyc/sessions/judgement-model.ts", ["kyc/sessions/completion"], {
    "a required field may be empty": ['field.required !== true || value !== ""', "true"],
    "a document needs no photo": [
      "sidesOf(step, type).every((side) => [...shown.values()].includes(side))",
      "true"
    ]
  }),
  ...changes("kyc/sessions/restricted-workflow-model.ts", ["kyc/sessions/completion"], {
    "carried answers are not judged": ["done: done && isThere && !missing.includes(id)", "done: true"]
  }),
  ...changes("kyc/sessions/writes-repo.ts", ["kyc/sessions/completion"], {
    "a blocked match breaks no rule": ["' = 'block'", "' = 'never'"]
  }),
  ...changes("kyc/checks/comparison-model.ts", ["kyc/checks/truth"], {
    "what was typed agrees although one field cannot be read": [
      "if (unsure.length > 0) {",
      "if (unsure.length > 0 && agree.length === 0) {"
    ],
    "answers that contradict each other agree with a zone": [
      'if (another !== undefined) return [[field, "differs"]]',
      ""
    ]
  }),
  ...changes("kyc/sessions/answers-model.ts", ["kyc/checks/truth"], {
    "the answers to carried steps are not compared": [
      "first_workflow === null ? asked : knownSteps(first_workflow)",
      "asked"
    ]
  }),
  ...changes("web/dashboard/kyc/evidence/answers.ts", ["pages/dashboard-evidence.isolated"], {
    "the page of a review says that a consent was agreed to, because the answer says so": [
      "entered: required && isKnown ?",
      "entered: isKnown ?"
    ]
  }),
  ...changes("web/dashboard/kyc/evidence/photos.ts", ["pages/dashboard-evidence.isolated"], {
    "the page of a review shows a photo that two steps name as that of the first": [
      "others.some((other) => other.step !== step)",
      "false"
    ]
  }),
  ...changes("kyc/checks/service.ts", ["kyc/checks/session.system"], {
    "a file that no step names is a photo of the document": [
      'named.get(one.file.id) ?? { shows: "other" }',
      'named.get(one.file.id) ?? { shows: "document", step: "document" }'
    ]
  }),
  ...changes("kyc/checks/comparison-model.ts", ["kyc/checks/findings"], {
    "one field may differ from the document": ["if (differ.length > 0)", "if (differ.length > 1)"]
  }),
  ...changes("kyc/checks/readings-repo.ts", ["kyc/checks/readings.system"], {
    "what is read from a photo is kept when nobody waits any more": [
      "case when r.asked_at > given.at - make_interval(secs => ${usefulSeconds}) then given.content end",
      "given.content"
    ],
    "a photo is read although nobody waits any more": ["              and ${isOfUse}\n", ""]
  }),
  ...changes("kyc/checks/work.ts", ["kyc/checks/faults.system"], {
    "a photo that the store does not give is never looked at": ["attempt < tries && ", "false && "]
  }),
  ...changes("kyc/dedup/hashes-service.ts", ["kyc/dedup/check"], {
    "documents are compared with those of other companies": ["`${companyId}|${mode}|", "`${mode}|"]
  }),
  ...changes("kyc/dedup/repo.ts", ["kyc/dedup/races.system"], {
    "a session asks about one document too many": [
      ") < ${maxHashesPerSession}",
      ") <= ${maxHashesPerSession}"
    ]
  }),
  ...changes("kyc/embedding/service.ts", ["pages/kyc-embedding"], {
    "anybody learns who may frame a session": [
      "return isTicketOf(id, ticket) ? yield* repo.find(id) : Option.none()",
      "return yield* repo.find(id)"
    ]
  }),
  ...changes("kyc/export/service.ts", ["kyc/export/export"], {
    "an export has the addresses of reviewers": [
      '"review.json": review === null ? null : withoutAddresses(review)',
      '"review.json": review'
    ]
  }),
  ...changes("kyc/export/service.ts", ["audit/acts"], {
    "an export is not in the audit trail": ["])(Effect.void)", "].slice(1))(Effect.void)"]
  }),
  ...changes("kyc/figures/repo.ts", ["kyc/figures/figures"], {
    "test sessions are in the figures": ["and k.day = d.day and k.mode = 'prod'", "and k.day = d.day"],
    "the reviews of all companies are counted": [
      "from kyc_reviews where company_id = ${companyId} and status",
      "from kyc_reviews where ${companyId}::uuid is not null and status"
    ]
  }),
  ...changes("kyc/files/copies.ts", ["kyc/files/copies.system"], {
    "partners get photos with their metadata": [
      'if (original || content_type === "application/pdf")',
      "if (true)"
    ]
  }),
  ...changes("kyc/files/repo.ts", ["kyc/files/upload"], {
    "a session has one file too many": [
      "and files_begun < ${maxFilesPerSession}",
      "and files_begun <= ${maxFilesPerSession}"
    ]
  }),
  ...changes("kyc/files/removal.ts", ["kyc/redaction/redaction"], {
    "the copy of a deleted photo stays in the store": [
      "yield* store.remove(copyIdOf(id))",
      "yield* Effect.succeed(copyIdOf(id))"
    ]
  }),
  ...changes("kyc/files/service.ts", ["audit/acts"], {
    "the read of a file is not in the audit trail": [
      ".recording(by, () => [entry])(Effect.void)",
      ".recording(by, () => [entry].slice(1))(Effect.void)"
    ]
  }),
  ...changes("kyc/files/repo.ts", ["contract/cross-company", "kyc/files/read"], {
    "a company reads the files of others": [
      "from kyc_sessions where company_id = ${companyId} and id = ${sessionId}",
      "from kyc_sessions where id = ${sessionId}"
    ]
  }),
  ...changes("kyc/files/examination.ts", ["kyc/files/copies.system"], {
    "a file is examined although nobody waits any more": [
      '        watch.cancel()\n        child.kill("SIGKILL")',
      "        watch.cancel()"
    ]
  }),
  ...changes("kyc/files/examination.ts", ["kyc/files/turns"], {
    "companies behind one network have a turn each": [
      "  { name: networkPrefix(address) },\n",
      "  { name: company },\n"
    ]
  }),
  ...changes("kyc/files/jpeg.ts", ["kyc/files/copies.system"], {
    "scans are counted in the metadata of a JPEG": ["at += Math.max(2, file.readUInt16BE(at))", "at += 2"]
  }),
  ...changes("kyc/files/http.ts", ["kyc/files/read"], {
    "a browser may run the scripts of a file": ["`${strictPolicy}; sandbox`", "strictPolicy"]
  }),
  ...changes("kyc/handoffs/repo.ts", ["kyc/handoffs/handoffs"], {
    "any code confirms a handoff": ["h.code = ${code} as correct", "${code}::text is not null as correct"],
    "a second device takes a handoff over": [
      "(h.status = 'waiting' or (h.status = 'claimed' and h.receipt_hash = ${receiptHash}))",
      "h.status in ('waiting', 'claimed')"
    ],
    "an expired handoff works": ["`h.expires_at > now() and s.status", "`s.status"],
    "an expired handoff shows its code": ["case when h.expires_at > now() then h.code end as code", "h.code"],
    "each claim of a handoff has another code": ["code = coalesce(h.code, ${code})", "code = ${code}"]
  }),
  ...changes("kyc/instances/repo.ts", ["contract/cross-company"], {
    "a company reads the instances of others": [
      "where i.company_id = ${companyId} and i.id = ${id}`)",
      "where i.id = ${id}`)"
    ]
  }),
  ...changes("kyc/instances/rules-model.ts", ["kyc/instances/rules"], {
    "a rule for less holds for as much": ["answer < condition.value", "answer <= condition.value"]
  }),
  ...changes("kyc/instances/repo.ts", ["accounts/quotas"], {
    "a company has one instance too many": ["where total < ${most}", "where total <= ${most}"]
  }),
  ...changes("kyc/instances/settings-model.ts", ["kyc/files/upload"], {
    "an instance whose list of types is empty takes no file": [
      "mime.length > 0 ? mime",
      "mime.length >= 0 ? mime"
    ]
  }),
  ...changes("kyc/receipts/signature.ts", ["kyc/receipts/receipts"], {
    "any signed text is a receipt": ["if (protectedHeader.typ !== receiptType)", "if (false)"]
  }),
  ...changes("kyc/receipts/service.ts", ["kyc/receipts/receipts"], {
    "a session that goes on has a receipt": ["if (!isFinished(session.status))", "if (false)"]
  }),
  ...changes("kyc/receipts/receipt-model.ts", ["kyc/receipts/receipts"], {
    "null in a config hides what else it says from receipts": [
      "Schema.optional(Schema.NullOr(schema))",
      "Schema.optional(schema)"
    ]
  }),
  ...changes("kyc/redaction/repo.ts", ["kyc/redaction/redaction"], {
    "a redaction leaves the notes": [
      "delete from kyc_session_notes n using s where n.session_id = ${id}",
      "delete from kyc_session_notes n using s where n.session_id = ${id} and false"
    ],
    "a redaction leaves the key of the data": [
      "delete from kyc_session_keys k using s where k.session_id = ${id}",
      "delete from kyc_session_keys k using s where k.session_id = ${id} and false"
    ],
    "a redaction leaves the contents of files": ["), ${removed}, happened as (", "), happened as ("]
  }),
  ...changes("kyc/redaction/repo.ts", ["kyc/checks/readings.system"], {
    "a redaction leaves what was read from photos": [
      "delete from kyc_readings r using s where r.session_id = ${id}",
      "delete from kyc_readings r using s where r.session_id = ${id} and false"
    ]
  }),
  ...changes("kyc/redaction/repo.ts", ["kyc/redaction/retention"], {
    "a shorter retention does not hold for earlier sessions": [
      'sql`least(${daysIn("v.config"',
      'sql`greatest(${daysIn("v.config"'
    ]
  }),
  ...changes("kyc/redaction/service.ts", ["kyc/redaction/retention"], {
    "what fails in a round of retention is tried first in the next": [
      "if (ids.size >= mostIds) failed[what].stopped = true",
      ""
    ]
  }),
  ...changes("kyc/reviews/decision-rules.ts", ["kyc/reviews/decision"], {
    "one person is both pairs of four eyes": [
      "person !== null && !proposers.includes(person) && !proposers.includes(partyOf(by))",
      "person !== null"
    ],
    "a session that somebody else has claimed is decided": [
      'by.kind === "user" && claimed_by !== null && claimed_by !== by.id\n',
      "claimed_by !== null && false\n"
    ],
    "a session is decided twice": ['status === "decided" ? Effect.fail', "false ? Effect.fail"],
    "a key confirms what another person's key has proposed": [
      "[proposed_person, proposed_by]",
      "[proposed_person]"
    ]
  }),
  ...changes("kyc/reviews/decision-repo.ts", ["contract/event-types.isolated"], {
    "a decision has no event": ['), recorded as (${recorded("kyc.session.reviewed", by)})', ")"]
  }),
  ...changes("kyc/reviews/decision-service.ts", ["kyc/reviews/decision"], {
    "a decision whose session is redacted meanwhile is a 500": [
      "reviews.find(companyId, id).pipe(foundOr(() => new SessionNotReviewable()))",
      "Effect.map(reviews.find(companyId, id), Option.getOrThrow)"
    ],
    "a resubmission without the key of its session is a 500": [
      "Effect.mapError(successors.create(by, id, restricted, expiresInSeconds), dataLost)",
      "Effect.orDie(successors.create(by, id, restricted, expiresInSeconds))"
    ]
  }),
  ...changes("kyc/sessions/partner-repo.ts", ["contract/cross-company"], {
    "a company reads the sessions of others": [
      "${selectChecked} where s.company_id = ${companyId} and s.id = ${id}",
      "${selectChecked} where s.id = ${id}"
    ]
  }),
  ...changes("kyc/sessions/service.ts", ["kyc/sessions/read"], {
    "an expired session can be read": [
      "return expired ? yield* new SessionExpired() : session",
      "return session"
    ]
  }),
  ...changes("kyc/sessions/repo.ts", ["kyc/sessions/progress"], {
    "an expired session can be continued": [
      "in ('created', 'running') and s.expires_at > now()\"",
      "in ('created', 'running')\""
    ]
  }),
  ...changes("kyc/sessions/sealing-model.ts", ["kyc/sessions/at-rest"], {
    "metadata is stored as it is": [
      'sealValue(key, "metadata", metadata)',
      "metadata == null ? null : JSON.stringify(metadata)"
    ],
    "large numbers count as they are written": ['rest.padEnd(Number(places), "0")', "rest"]
  }),
  ...changes("kyc/sessions/lifecycle-repo.ts", ["kyc/sessions/lifecycle"], {
    "a new link leaves a handoff that has the old one": [
      "and status in ('waiting', 'claimed')",
      "and status = 'waiting'"
    ],
    "a session is cancelled several times at once": ["\n          for no key update`", "`"]
  }),
  ...changes("kyc/sessions/creation-service.ts", ["kyc/sessions/create-once"], {
    "an Idempotency-Key is reused for another session": [
      "if (Buffer.compare(fingerprintOf(key, companyId, words), fingerprint) !== 0)",
      "if (false)"
    ]
  }),
  ...changes("kyc/sessions/creation-service.ts", ["kyc/sessions/create"], {
    "sessions for tests are created although they are refused": [
      'if (mode === "dev" && !devModeAllowed)',
      "if (false)"
    ]
  }),
  ...changes("kyc/sessions/writes-repo.ts", ["contract/event-types.isolated"], {
    "a completed session has no event": [
      "), recorded as (${events.finished}), reviewed as (",
      "), reviewed as ("
    ]
  }),
  ...changes("kyc/sessions/writes-repo.ts", ["kyc/reviews/queue"], {
    "a completed session does not wait for its review": [
      "from s where is_reviewed",
      "from s where is_reviewed and false"
    ]
  }),
  ...changes("kyc/sessions/flags-repo.ts", ["kyc/sessions/partner-list"], {
    "a session without its captcha has no flag": [
      "needs_captcha and given.captcha_verified_at is null",
      "needs_captcha and false"
    ]
  }),
  ...changes("kyc/sessions/model.ts", ["kyc/sessions/assurance"], {
    "one earlier session with the document is no match": [
      "matchFound: seenCount > 1",
      "matchFound: seenCount > 2"
    ]
  }),
  ...changes("kyc/sessions/csv.ts", ["kyc/sessions/csv"], {
    "spreadsheets run values as formulas": ['"\'$&"', '"$&"']
  }),
  ...changes("kyc/sessions/service.ts", ["kyc/sessions/sizes"], {
    "progress is printed for anybody": ["Option.isSome(held) && Buffer.byteLength", "Buffer.byteLength"]
  }),
  ...changes("kyc/sessions/list-repo.ts", ["kyc/sessions/partner-list"], {
    "a list has sessions of every status": [
      'if (status !== undefined) add(sql`s.status = ${status}`, index === "status")',
      ""
    ]
  }),
  ...changes("kyc/sessions/repeated-creation.ts", ["kyc/sessions/create-once"], {
    "a field that is null makes a creation another one": [" && value !== null", ""]
  }),
  ...changes("kyc/timeline/repo.ts", ["kyc/timeline/timeline"], {
    "a timeline says that a session began when it was created": [
      "select 1, 'started', started_at,",
      "select 1, 'started', created_at,"
    ]
  }),
  ...changes("kyc/timeline/repo.ts", ["contract/cross-company"], {
    "a company reads the timelines of others": [
      "where s.company_id = ${companyId} and s.id = ${sessionId}",
      "where s.id = ${sessionId}"
    ]
  }),
  ...changes("kyc/dedup/repo.ts", ["kyc/dedup/chain"], {
    "a resubmission is a match of the session before": ["seen_count > 1 + (", "seen_count > 1 + 0 * ("]
  }),
  ...changes("kyc/sessions/successor-service.ts", ["kyc/dedup/chain"], {
    "a match is carried on although its document is asked for again": [
      "restricted.steps.includes(step.id) && isLookedFor(step, dedup)",
      "false"
    ]
  })
]
