/** Has the server read a photo, for a browser that cannot. */
import { type Json, text } from "../../json.ts"
import { kycTimes, sleep } from "../../timing.ts"
import type { SessionApi } from "../api.ts"
import type { Fields } from "../reading/messages.ts"

/** How often to ask: by then, the end user has begun to type. */
const most = 30

const fieldsOf = (read: Json): Fields => ({
  number: text(read.document_number),
  country: text(read.country),
  expiry: text(read.expiry_date),
  familyName: text(read.surname),
  givenName: text(read.given_names),
  dateOfBirth: text(read.birth_date),
  nationality: text(read.nationality),
  zone: text(read.zone)
})

/** No fields: nothing was read, in time or at all, or the instance does not have photos read. */
export const serverReading =
  ({ reading, startReading }: SessionApi) =>
  async (fileId: string): Promise<Fields> => {
    let found = await startReading(fileId)
    for (let asked = 0; found.ok && !found.value.done && asked < most; asked++) {
      await sleep(kycTimes.reading)
      const next = await reading(fileId)
      // The next question may get through.
      if (next.ok || next.failure.kind !== "offline") found = next
    }
    return found.ok ? fieldsOf(found.value.fields) : {}
  }
