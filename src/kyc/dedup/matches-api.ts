import { Schema } from "effect"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { sessionNotFound } from "../sessions/guards.ts"
import { examples } from "./examples.ts"
import { Match, maxMatches } from "./model.ts"

/** The other sessions of the same document or person, for the company that owns them. */
export class DedupMatchesApi extends routeGroup(
  "kyc-dedup-matches",
  {
    title: "KYC duplicates, for the partner's server",
    description:
      "The sessions in which the same document or person was seen, for a platform key with the scope kyc:sessions:read or a dashboard session.",
    access: keyOrUser("kyc:sessions:read", "any"),
    examples: { list: examples.listMatches }
  },
  route("list", "GET /api/kyc/sessions/:id/matches", {
    summary: "List matching sessions: those with the same document or person, newest first",
    description: `Sessions that checked one of the key hashes that this session checked, or begin with such a check of the session that they resubmit, besides those that resubmit this one, or that it resubmits; at most the ${maxMatches} newest.`,
    ids: { id: "the session" },
    success: Schema.Struct({ matches: Schema.Array(Match) }),
    errors: [sessionNotFound],
    unexpected: "Failed to list matches",
    compressed: true
  })
) {}
