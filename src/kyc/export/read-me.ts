/** What is in an export, for readers who know nothing of doorlock. */
export const readMe = (sessionId: string): string => `What is stored about a person
=============================

This archive has everything that is stored about the person of one identity verification: the session ${sessionId}.
JSON files are texts, which any editor opens. Times are in UTC.

session.json    The session: when it was created and how it ended ("status"), what the person entered step by step
                ("progress"), what their browser sent at the end ("result"), what the company attached ("metadata"),
                what the service itself found ("assurance"), the page and its steps at that time
                ("instance_config", "instance_workflow"), where the person was sent afterwards ("success_redirect_url",
                "failure_redirect_url"), and how many seconds after the beginning they had first answered each step in full ("step_seconds").
                If a hash of a random number in the person's browser is stored, to count sessions from the same browser,
                "browser_mark_stored_at" says since when. It is deleted after 30 days.
                If the session asked for some steps again, the other answers are from the session before
                ("previous_session_id"), and "first_workflow" has all steps.
consents.json   What the person agreed to, in the words that they were shown, and when the service received it.
timeline.json   What happened in the session, and when.
checks.json     The captcha, and in how many sessions the document or person was checked.
readings.json   What the service read in photos of documents so that the person need not type it. It is deleted after an hour.
review.json     What the company decided on the session, when, and for which reasons; null if nobody reviews it.
notes.json      What people of the company noted about the session.
files.json      The person's photos and documents: type, size in bytes, SHA-256, and the session in which they were uploaded.
files/          The photos and documents as the person uploaded them.
copies/         Copies of the photos without the data that cameras add.
missing.json    Files that are not in this archive as they were received, and why. Empty if nothing is missing.
`
