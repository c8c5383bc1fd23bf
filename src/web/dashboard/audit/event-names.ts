import type { Answer } from "../common/contract.ts"

export type Event = Answer<"audit-events.list">["events"][number]

export const actions: Readonly<Record<Event["action"], string>> = {
  "audit.began": "Audit trail began",
  "audit.sealed": "Resealed the audit trail",
  "company.created": "Created the company",
  "user.created": "Created a user",
  "user.password_reset": "Reset a password",
  "user.signed_in": "Signed in",
  "user.sign_in_refused": "Sign-in refused",
  "user.signed_out": "Signed out",
  "user.session_ended": "Ended a session",
  "user.other_sessions_ended": "Ended all other sessions",
  "user.password_changed": "Changed the password",
  "invitation.created": "Invited somebody",
  "invitation.withdrawn": "Withdrew an invitation",
  "invitation.accepted": "Accepted an invitation",
  "member.role_changed": "Changed a role",
  "member.removed": "Removed a member",
  "api_key.created": "Created an API key",
  "api_key.revoked": "Revoked an API key",
  "kyc_instance.created": "Created a KYC instance",
  "kyc_instance.changed": "Changed a KYC instance",
  "kyc_instance.disabled": "Disabled a KYC instance",
  "kyc_instance.enabled": "Enabled a KYC instance",
  "kyc_session.created": "Created a test session",
  "kyc_file.read": "Read a user's file",
  "subscription.created": "Subscribed to an API",
  "subscription.cancelled": "Cancelled a subscription",
  "marketplace_key.created": "Created a marketplace key",
  "marketplace_key.revoked": "Revoked a marketplace key",
  "marketplace_key.rotated": "Rotated a marketplace key",
  "publisher.created": "Became a publisher",
  "api.created": "Created an API",
  "api.changed": "Changed an API",
  "api.published": "Published an API",
  "api.unpublished": "Unpublished an API",
  "api.taken_down": "Took an API down",
  "api.allowed": "Allowed an API again",
  "api_version.created": "Added a version",
  "api_plan.created": "Added a plan"
}

type Area<Action extends string> = Action extends `${infer Name}.${string}` ? Name : never

/** Groups of actions by the prefix of their names. */
export const kinds: Readonly<Record<Area<Event["action"]>, string>> = {
  audit: "The trail itself",
  company: "The company",
  user: "Signing in and out",
  invitation: "Invitations",
  member: "Members",
  api_key: "API keys",
  kyc_instance: "KYC instances",
  kyc_session: "Sessions",
  kyc_file: "Files of users",
  subscription: "Subscriptions",
  marketplace_key: "Marketplace keys",
  publisher: "Becoming a publisher",
  api: "Publishing",
  api_version: "Versions",
  api_plan: "Plans"
}
