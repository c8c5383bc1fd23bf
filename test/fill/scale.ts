/** How many rows a database gets, and the functions that compute the ids that rows refer to. */

import type { Sealed } from "../../src/kyc/sessions/sealing-model.ts"
import type { JsonObject } from "../../src/shared/json.ts"

export interface Sizes {
  readonly sessions: number
  /** Platform keys. */
  readonly keys: number
  /** Not counting the host. */
  readonly companies: number
}

interface SealedData {
  readonly progress: JsonObject
  readonly result: Sealed
  readonly metadata: Sealed
}

export interface Scale extends Sizes {
  /** The company with nine tenths of the sessions and audit events. */
  readonly host: string
  /** What end users and partners have given, the same in all sessions. */
  readonly sealed: SealedData
}

/** The days over which the rows were created. */
const days = 365

/**
 * An id follows from a kind and a number, so a row can refer to another table without a read. Ids are UUIDs of version 7
 * with their rows' times, as the service creates them. A number stands for a moment: 1 for a year ago, the last number for
 * now.
 */
export const functions = ({ companies, host, sessions }: Scale): string => `
  create function pg_temp.moment(n bigint, last bigint) returns timestamptz immutable language sql return
    timestamptz '${new Date().toISOString()}' - interval '${days} days' * (1 - n::float8 / last);
  create function pg_temp.made_id(kind text, n bigint, at timestamptz) returns uuid immutable language sql return
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || overlay(overlay(substr(md5(kind || n), 1, 20) placing '7' from 1 for 1) placing '8' from 5 for 1))::uuid;
  create function pg_temp.made_hash(kind text, n bigint) returns bytea immutable language sql return
    sha256(convert_to(kind || n, 'UTF8'));
  -- Any number, but the same for the same n.
  create function pg_temp.chance(n bigint) returns bigint immutable language sql return n * 2654435761 % 1000003;
  create function pg_temp.id_of(kind text, n bigint) returns uuid immutable language sql return
    pg_temp.made_id(kind, n, pg_temp.moment(n % 1000, 1000));
  create function pg_temp.session_id(n bigint) returns uuid immutable language sql return
    pg_temp.made_id('session', n, pg_temp.moment(n, ${sessions}));
  -- The company of the nth of what the host has nine tenths of.
  create function pg_temp.company_of(n bigint) returns uuid immutable language sql return
    case when n % 10 <> 0 then '${host}'::uuid else pg_temp.id_of('company', 1 + n / 10 % ${companies}) end;
`
