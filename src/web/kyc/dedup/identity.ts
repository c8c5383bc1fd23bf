/** The key hash that recognises a document or person: no number or name leaves the browser for this. */
import { type Identity, preimageOf } from "../../../kyc/dedup/identity-model.ts"
import { sha256 } from "../sha256.ts"

/** Where a form's answer stores the result of the check; no field can have this name. */
export const foundKey = "$dedup"

/** `scope` separates companies. */
export const keyHash = (scope: string, identity: Identity): string => sha256(preimageOf(scope, identity))
