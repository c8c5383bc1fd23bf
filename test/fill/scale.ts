/** How full a database is made, and the functions by which its rows find each other's ids. */

export interface Sizes {
  readonly sessions: number
  /** Platform keys. */
  readonly keys: number
  /** Besides the host. */
  readonly companies: number
}

export interface Scale extends Sizes {
  /** The company that has nine tenths of what sessions and audit events there are. */
  readonly host: string
}

/** Days over which what is made has come about. */
const days = 365

/**
 * Ids follow from a kind and a number, so that no table has to be read to refer to another; they are UUIDs of version 7, by the
 * time of their rows, as those are that the service makes. A number stands for a moment: 1 for a year ago, the last for now.
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
